// A transpose strategy at its ABI: a small problem with its buffers and the output that is right,
// the configs of a card, and a quote. Without the core, so that no check of its own stands in
// between.
#pragma once

#include <xpose/plugin.h>

#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "traced.hpp"

constexpr std::size_t kGuard = 256;  // bytes before and behind the output
constexpr unsigned char kPoison = 0x5A;

// Sizes and padding in elements; skew is what the base addresses are off by, in bytes.
struct Case {
  int64_t rows, cols;
  int64_t in_pad = 0, out_pad = 0;
  int64_t batch = 1;
  uint32_t skew = 0;
  bool dense = false;         // the matrices of the batch follow each other without gaps
  bool in_place = false;      // rows == cols, in_pad == out_pad
  bool between_rows = false;  // each row of a matrix is followed by those of the others

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.rows << "x" << c.cols << " pads " << c.in_pad << "," << c.out_pad << " batch "
               << c.batch << (c.dense ? " dense" : "") << " skew " << c.skew
               << (c.in_place ? " in place" : "") << (c.between_rows ? " between rows" : "");
  }
};

// A 256-byte aligned allocation of exactly so many bytes.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : size_(size), data_(static_cast<unsigned char*>(::operator new(size, kAlignment))) {
    std::memset(data_.get(), kPoison, size);
  }
  unsigned char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size_ == b.size_ && std::memcmp(a.data_.get(), b.data_.get(), a.size_) == 0;
  }

 private:
  static constexpr std::align_val_t kAlignment{256};
  struct Free {
    void operator()(unsigned char* data) const { ::operator delete(data, kAlignment); }
  };
  std::size_t size_;
  std::unique_ptr<unsigned char, Free> data_;
};

inline xpose_problem problem_of(const Case& c, uint32_t element_bytes, int32_t role) {
  xpose_problem problem{};
  problem.size = sizeof problem;
  problem.element_bytes = element_bytes;
  problem.rows = c.rows;
  problem.cols = c.cols;
  problem.in_ld = c.cols + c.in_pad;
  problem.out_ld = (role == XPOSE_COPY ? c.cols : c.rows) + c.out_pad;
  if (c.batch > 1) {
    problem.batch_rank = 1;
    problem.batch[0] = {c.batch, c.rows * problem.in_ld + (c.dense ? 0 : 3),
                        c.cols * problem.out_ld + (c.dense      ? 0
                                                   : c.in_place ? 3
                                                                : 5)};
  }
  if (c.between_rows) {
    problem.batch[0] = {c.batch, problem.in_ld, problem.out_ld};
    problem.in_ld *= c.batch;
    problem.out_ld *= c.batch;
  }
  // What divides the address of every row.
  const auto alignment = [&](int64_t ld, int64_t stride) {
    const uint64_t bits = 256u | c.skew | static_cast<uint64_t>(ld * element_bytes) |
                          static_cast<uint64_t>(stride * element_bytes);
    return static_cast<uint32_t>(bits & -bits);
  };
  problem.in_alignment = alignment(problem.in_ld, problem.batch[0].in_stride);
  problem.out_alignment = alignment(problem.out_ld, problem.batch[0].out_stride);
  problem.in_place = c.in_place;
  problem.device_kind = XPOSE_CUDA;
  problem.compute_capability = 90;
  return problem;
}

// Input and output of a case, and the output that is right. In place both are the output.
struct Buffers {
  Buffers(const Case& c, const xpose_problem& p, int32_t role)
      : in_at(c.skew),
        out_at(kGuard + c.skew),
        in(c.skew + span(p, p.rows, p.cols, p.in_ld, p.batch[0].in_stride)),
        out(out_at + kGuard +
            (role == XPOSE_COPY ? span(p, p.rows, p.cols, p.out_ld, p.batch[0].out_stride)
                                : span(p, p.cols, p.rows, p.out_ld, p.batch[0].out_stride))),
        expected(out.size()),
        untouched(in.size()) {
    uint32_t state = 1;
    for (std::size_t i = in_at; i < in.size(); ++i)
      in.data()[i] = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
    std::memcpy(untouched.data(), in.data(), in.size());
    if (c.in_place)
      for (Bytes* buffer : {&out, &expected})
        std::memcpy(buffer->data() + out_at, in.data() + in_at, in.size() - in_at);
    for (int64_t b = 0; b < c.batch; ++b)
      for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t col = 0; col < p.cols; ++col) {
          const int64_t from = b * p.batch[0].in_stride + row * p.in_ld + col;
          const int64_t to = b * p.batch[0].out_stride +
                             (role == XPOSE_COPY ? row * p.out_ld + col : col * p.out_ld + row);
          std::memcpy(expected.data() + out_at + to * p.element_bytes,
                      in.data() + in_at + from * p.element_bytes, p.element_bytes);
        }
  }

  static std::size_t span(const xpose_problem& p, int64_t rows, int64_t cols, int64_t ld,
                          int64_t stride) {
    const int64_t matrices = p.batch_rank == 0 ? 1 : p.batch[0].extent;
    return static_cast<std::size_t>(((matrices - 1) * stride + (rows - 1) * ld + cols) *
                                    p.element_bytes);
  }

  std::size_t in_at, out_at;
  Bytes in, out, expected, untouched;  // the last: the input as it was
};

inline std::vector<std::vector<int64_t>> configs_of(const xpose_card& card) {
  std::vector<std::vector<int64_t>> configs = {{}};
  for (uint32_t a = 0; a < card.axis_count; ++a) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& config : configs)
      for (uint64_t v = 0; v < card.axes[a].value_count; ++v) {
        longer.push_back(config);
        longer.back().push_back(card.axes[a].values[v]);
      }
    configs = longer;
  }
  return configs;
}

inline std::string name_of(const xpose_card& card, const std::vector<int64_t>& config) {
  std::string name = card.name;
  for (uint32_t a = 0; a < card.axis_count; ++a)
    name += std::string(" ") + card.axes[a].name + "=" + std::to_string(config[a]);
  return name;
}

struct Answer {
  xpose_status status;
  std::string text;  // the launch description, or why not
};

inline Answer quote(const xpose_strategy& strategy, const xpose_problem& problem,
                    const std::vector<int64_t>& config) {
  char text[256] = "";
  xpose_quote quote{};
  quote.size = sizeof quote;
  const xpose_status status = strategy.quote(&problem, config.data(), &quote, {text, sizeof text});
  return {status, status == XPOSE_OK ? quote.launch : text};
}

// The strategies of every CUDA plugin that the build has compiled for the simulator:
// XPOSE_SIMULATED are the plugins' names, separated by spaces.
inline const std::vector<const xpose_strategy*>& simulated_strategies() {
  static const std::vector<const xpose_strategy*> all = [] {
    std::vector<const xpose_strategy*> found;
    std::istringstream names(XPOSE_SIMULATED);
    for (std::string name; names >> name;) {
      const xpose_plugin& plugin = *load_plugin(XPOSE_PLUGINS "/" + name + ".so");
      found.insert(found.end(), plugin.strategies, plugin.strategies + plugin.strategy_count);
    }
    return found;
  }();
  return all;
}

inline const xpose_strategy& strategy_named(const std::string& name) {
  for (const xpose_strategy* strategy : simulated_strategies())
    if (strategy->card->name == name) return *strategy;
  throw std::out_of_range(name);
}
