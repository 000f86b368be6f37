// xpose SDK for plugin authors: write a class, name it in XPOSE_PLUGIN, build it with
// xpose_add_plugin(). Header only; needs C++20 and no other library.
//
//   using namespace xpose::plugin;
//   struct MyIdea {
//     static Card card();                            // name, device, sizes, axes ...
//     static Quote quote(const Problem&, const Config&);
//     MyIdea(const Problem&, const Config&);       // the plan
//     void launch(const Launch&) const;                   // enqueue (CUDA) or run (host)
//   };
//   XPOSE_PLUGIN("my_plugin", "1.0", MyIdea)
//
// quote throws xpose::plugin::Unsupported with the reason where a config cannot serve a problem.
// Any exception from quote, the constructor or launch becomes a status and a line of text. A host
// strategy splits its work over threads by run_parts().
#pragma once

#include <xpose/plugin.h>

#include <atomic>
#include <cstring>  // for authors, who move elements as bytes
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xpose::plugin {

using Problem = xpose_problem;
using Launch = xpose_launch;

// Thrown by quote: the strategy cannot serve this problem with this config.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown when the device reports an error.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A tunable axis: a name and the values it may take. The first value is the author's default.
struct Axis {
  const char* name;
  std::vector<int64_t> values;
};

// What a strategy says of itself; the fields are those of xpose_card.
struct Card {
  const char* name = nullptr;
  const char* summary = "";
  int32_t device_kind = XPOSE_HOST;
  int32_t role = XPOSE_TRANSPOSE;
  uint32_t element_sizes = 1 | 2 | 4 | 8 | 16;
  uint32_t min_alignment = 0;
  uint32_t min_compute_capability = 0;
  uint32_t max_batch_rank = 0;
  uint32_t traits = 0;
  int64_t max_extent = 0;
  int32_t prior_rank = 1000;
  std::vector<Axis> axes = {};
};

// A launch in figures, from which its time is predicted; the fields are those of xpose_quote. Where
// they are left out, nothing is predicted, and the strategy is ranked as if it took twice as long
// as the best.
struct Demand {
  uint64_t blocks = 0;          // CUDA: of the whole grid
  uint32_t threads = 0;         // CUDA: of a block
  uint32_t shared_bytes = 0;    // CUDA: of a block
  uint64_t load_run = 0;        // bytes that a block (host: a tile) reads side by side
  uint64_t store_run = 0;       // the same of what it writes
  uint32_t slower_percent = 0;  // how much longer it takes than these figures say, as measured
  uint32_t traits = 0;          // XPOSE_QUOTE_*
};

// What a config costs on a problem: bytes of workspace, a short launch description, and figures.
struct Quote {
  uint64_t workspace_bytes = 0;
  std::string launch = {};
  Demand demand = {};
};

// A config read by axis name. A name that the card does not list throws std::out_of_range.
class Config {
 public:
  Config(const std::vector<Axis>& axes, const int64_t* values) : axes_(axes), values_(values) {}

  int64_t operator[](std::string_view axis) const {
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axis == axes_[i].name) return values_[i];
    throw std::out_of_range("the card lists no axis '" + std::string(axis) + "'");
  }

 private:
  const std::vector<Axis>& axes_;
  const int64_t* values_;
};

// "grid 128x256 block 32x16", with trailing ones left out; CUDA authors use it for Quote::launch.
inline std::string describe_launch(std::initializer_list<uint64_t> grid,
                                   std::initializer_list<uint64_t> block,
                                   uint64_t shared_bytes = 0) {
  const auto shape = [](std::initializer_list<uint64_t> dims) {
    size_t used = dims.size();
    while (used > 1 && dims.begin()[used - 1] == 1) --used;
    std::string text;
    for (size_t i = 0; i < used; ++i) text += (i ? "x" : "") + std::to_string(dims.begin()[i]);
    return text;
  };
  std::string text = "grid " + shape(grid) + " block " + shape(block);
  if (shared_bytes != 0) text += " shared " + std::to_string(shared_bytes) + " B";
  return text;
}

// Calls body(part) for every part below `parts`, on the threads that the host lends to the launch,
// and returns when all have returned. Parts may run in any order and several at once, on
// launch.threads threads at most, or all in the calling one: none may wait for another. As many
// parts as launch.threads are a good number where they are alike. Throws what the first of them
// that threw has thrown.
template <class Body>
void run_parts(const Launch& launch, uint32_t parts, const Body& body) {
  if (launch.team == nullptr || parts < 2) {
    for (uint32_t part = 0; part < parts; ++part) body(part);
    return;
  }
  struct Parts {
    const Body& body;
    std::atomic<bool> has_thrown;
    std::exception_ptr thrown;
  } all{body, {false}, nullptr};
  launch.team->run(
      launch.team, parts,
      [](void* context, uint32_t part) {
        Parts& all = *static_cast<Parts*>(context);
        try {
          all.body(part);
        } catch (...) {
          if (!all.has_thrown.exchange(true)) all.thrown = std::current_exception();
        }
      },
      &all);
  if (all.thrown) std::rethrow_exception(all.thrown);
}

}  // namespace xpose::plugin

#include <xpose/detail/plugin_entry.hpp>  // XPOSE_PLUGIN
