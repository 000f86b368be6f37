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

using Problem = xpose_problem;  // in normal form
using Launch = xpose_launch;    // buffers, stream, threads

// Thrown by quote, with the reason: this config cannot serve this problem. Becomes
// XPOSE_UNSUPPORTED.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown by the constructor or launch: the device reported an error. Becomes XPOSE_DEVICE_ERROR.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A tunable axis of a strategy.
struct Axis {
  const char* name;             // [a-z][a-z0-9_]*, unique on the card
  std::vector<int64_t> values;  // 1 to 64; the first is the author's default
};

// A strategy's description of itself; the fields are those of xpose_card.
struct Card {
  const char* name = nullptr;                   // required: [a-z][a-z0-9_]*, unique
  const char* summary = "";                     // one line
  int32_t device_kind = XPOSE_HOST;             // or XPOSE_CUDA
  int32_t role = XPOSE_TRANSPOSE;               // or XPOSE_COPY, XPOSE_NUMERIC, XPOSE_EXPERIMENT
  uint32_t element_sizes = 1 | 2 | 4 | 8 | 16;  // the sum of the sizes served, and XPOSE_FAT_SIZES
  uint32_t min_alignment = 0;                   // bytes; 0: the element size, of fat elements 16
  uint32_t min_compute_capability = 0;          // CUDA: 10 * major + minor; 0: any
  uint32_t max_batch_rank = 0;                  // batch dimensions that one launch takes
  uint32_t traits = 0;                          // XPOSE_TRAIT_*
  int64_t max_extent = 0;                       // the most rows or columns served; 0: no limit
  int32_t prior_rank = 1000;                    // lower is expected to be faster
  std::vector<Axis> axes = {};                  // every combination that quote accepts is tried
};

// A launch in figures, from which the host predicts its time; the fields are those of xpose_quote.
// A strategy without figures is ranked as if it took twice as long as the best.
struct Demand {
  uint64_t blocks = 0;          // CUDA: blocks of the whole grid
  uint32_t threads = 0;         // CUDA: threads of a block
  uint32_t shared_bytes = 0;    // CUDA: shared memory of a block
  uint64_t load_run = 0;        // bytes that a block (host: a tile) reads side by side
  uint64_t store_run = 0;       // bytes that a block (host: a tile) writes side by side
  uint32_t slower_percent = 0;  // measured: the time beyond that of these figures, per cent
  uint32_t traits = 0;          // XPOSE_QUOTE_*
};

// The cost of a config on a problem.
struct Quote {
  uint64_t workspace_bytes = 0;  // device memory that arrives as Launch::workspace
  std::string launch = {};       // for people: "grid 128x256 block 32x16"; cut after 127 bytes
  Demand demand = {};            // for the prediction
};

// A config, read by the names of its axes: config["tile"]. It refers to the card's axes and to the
// host's values, so it is not kept beyond the call.
class Config {
 public:
  Config(const std::vector<Axis>& axes, const int64_t* values) : axes_(axes), values_(values) {}

  // The value of an axis. Throws std::out_of_range for a name that the card does not list.
  int64_t operator[](std::string_view axis) const {
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axis == axes_[i].name) return values_[i];
    throw std::out_of_range("the card lists no axis '" + std::string(axis) + "'");
  }

 private:
  const std::vector<Axis>& axes_;
  const int64_t* values_;
};

// The launch in short, for Quote::launch: "grid 128x256 block 32x16 shared 4096 B". `grid` is in
// blocks, `block` in threads; trailing ones and no shared memory are left out.
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

// Calls body(uint32_t part) for every part below `parts`, on the threads that the host lends to the
// launch, and returns when all have returned.
//
//   run_parts(launch, launch.threads, [&](uint32_t part) {
//     transpose_rows(part * rows / launch.threads, (part + 1) * rows / launch.threads);
//   });
//
// Parts run in any order, on at most launch.threads threads, perhaps all in the calling one, so no
// part may wait for another. An exception of a part is thrown again here, the first of several.
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
