// A permutation at the ABI of a strategy, `permute` or another one: its problem, and one config of
// it run by the simulator and compared byte for byte with a plain loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "abi_case.hpp"

struct Axis {
  int64_t extent, in, out;  // strides in elements
};

struct Permutation {
  uint32_t bytes;  // of an element
  std::vector<Axis> axes = {};
  uint32_t skew = 0;      // elements that both base addresses are off by
  bool in_skewed = true;  // or the output's alone
  uint32_t multiprocessors = 0;
  uint32_t compute_capability = 90;

  friend std::ostream& operator<<(std::ostream& out, const Permutation& of) {
    out << of.bytes << " bytes, skew " << of.skew << ", capability " << of.compute_capability
        << ", axes";
    for (const Axis& axis : of.axes) out << ' ' << axis.extent << ":" << axis.in << ":" << axis.out;
    return out;
  }
};

inline xpose_problem problem_of(const Permutation& of) {
  xpose_problem problem{};
  problem.size = sizeof problem;
  problem.element_bytes = of.bytes;
  problem.rows = problem.cols = problem.in_ld = problem.out_ld = 1;
  problem.device_kind = XPOSE_CUDA;
  problem.compute_capability = of.compute_capability;
  problem.multiprocessors = of.multiprocessors;
  const auto kept = [](const Axis& axis) { return axis.in == 1 && axis.out == 1; };
  const bool keeps = std::ranges::any_of(of.axes, kept);
  uint64_t in = 256 | of.skew * of.bytes, out = in;  // what divides all addresses
  for (const Axis& axis : of.axes) {
    if (axis.in == 1 && problem.cols == 1) {
      problem.cols = axis.extent;
      problem.out_ld = axis.out;
      if (!kept(axis)) out |= static_cast<uint64_t>(axis.out) * of.bytes;
    } else if (axis.out == 1 && !keeps && problem.rows == 1) {
      problem.rows = axis.extent;
      problem.in_ld = axis.in;
      in |= static_cast<uint64_t>(axis.in) * of.bytes;
    } else {
      problem.batch[problem.batch_rank++] = {axis.extent, axis.in, axis.out};
      in |= static_cast<uint64_t>(axis.in) * of.bytes;
      out |= static_cast<uint64_t>(axis.out) * of.bytes;
    }
  }
  problem.in_alignment = static_cast<uint32_t>(in & -in);
  problem.out_alignment = static_cast<uint32_t>(out & -out);
  return problem;
}

// Calls body(offset in the input, offset in the output) for every element, in elements.
template <class Body>
void for_each_element(const Permutation& of, const Body& body) {
  std::vector<int64_t> index(of.axes.size(), 0);
  int64_t in = 0, out = 0;
  while (true) {
    body(in, out);
    size_t i = 0;
    for (; i < of.axes.size(); ++i) {
      in += of.axes[i].in;
      out += of.axes[i].out;
      if (++index[i] < of.axes[i].extent) break;
      in -= of.axes[i].in * index[i];
      out -= of.axes[i].out * index[i];
      index[i] = 0;
    }
    if (i == of.axes.size()) return;
  }
}

// Runs one config; false where it is refused.
inline bool check(const Permutation& of, const std::vector<int64_t>& config,
                  const std::string& name = "permute") {
  const xpose_strategy& strategy = strategy_named(name);
  const xpose_problem problem = problem_of(of);
  SCOPED_TRACE(testing::Message() << name_of(*strategy.card, config) << ", " << of);
  const Answer answer = quote(strategy, problem, config);
  if (answer.status != XPOSE_OK) {
    EXPECT_EQ(answer.status, XPOSE_UNSUPPORTED) << answer.text;
    return false;
  }
  int64_t before = 0, in_end = 0, out_end = 0;
  for_each_element(of, [&](int64_t in, int64_t out) {
    before = std::max(before, -in);
    in_end = std::max(in_end, in + 1);
    out_end = std::max(out_end, out + 1);
  });
  // Both bases are as aligned as the problem says, and no more than that is needed.
  const std::size_t skew = of.skew * of.bytes;
  const std::size_t in_at =
      (static_cast<std::size_t>(before) * of.bytes + 255) / 256 * 256 + (of.in_skewed ? skew : 0);
  Bytes in(in_at + static_cast<std::size_t>(in_end) * of.bytes);
  Bytes out(kGuard + skew + static_cast<std::size_t>(out_end) * of.bytes + kGuard);
  Bytes expected(out.size());
  uint32_t state = 1;
  for (std::size_t i = 0; i < in.size(); ++i)
    in.data()[i] = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
  const std::size_t first = kGuard + skew;
  for_each_element(of, [&](int64_t from, int64_t to) {
    std::memcpy(expected.data() + first + to * of.bytes, in.data() + in_at + from * of.bytes,
                of.bytes);
  });
  const unsigned char* const from = in.data() + in_at - before * of.bytes;
  const xpose_launch launch = {
      sizeof(xpose_launch), 0, in.data() + in_at, out.data() + first, nullptr, nullptr, nullptr};
  const Traced traced = trace(strategy, problem, config, launch,
                              {{out.data() + first, static_cast<uint64_t>(out_end) * of.bytes},
                               {from, static_cast<uint64_t>(before + in_end) * of.bytes}});
  EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
  EXPECT_EQ(traced.kernels.size(), 1U) << "one launch for the whole problem";
  EXPECT_TRUE(out == expected);
  return true;
}

// Runs the first of the configs, from one on, that is not refused; false where all are.
inline bool check_one(const Permutation& of, const std::vector<std::vector<int64_t>>& configs,
                      size_t first, const std::string& name = "permute") {
  for (size_t i = 0; i < configs.size(); ++i)
    if (check(of, configs[(first + i) % configs.size()], name)) return true;
  return false;
}

// What random cases are drawn with.
class Draws {
 public:
  explicit Draws(unsigned seed) : engine_(seed) {}
  int64_t draw(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(engine_);
  }
  bool once_in(int64_t n) { return draw(1, n) == 1; }

 protected:
  std::mt19937 engine_;
};
