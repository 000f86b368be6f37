// Problems of one element size on one device, and the words to add one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// In the order in which they are added.
class ProblemCollection {
 public:
  using Shape = std::pair<std::int64_t, std::int64_t>;  // rows, columns

  ProblemCollection(std::uint32_t element_bytes, Device device)
      : bytes_(element_bytes), device_(device) {}

  // Buffers begin as their rows do, so that tests meet every address that a strategy may; but for
  // those said to begin at multiples of 256 bytes, as callers' usually do.
  std::vector<Problem> take() {
    for (Problem& problem : problems_) {
      const Alignment rows = row_alignment(normal_form(problem));
      if (problem.in_alignment < kWidestAlignment) problem.in_alignment = rows.in;
      if (problem.out_alignment < kWidestAlignment) problem.out_alignment = rows.out;
    }
    return std::move(problems_);
  }

  std::uint32_t element_bytes() const { return bytes_; }
  bool is_on_host() const { return device_.kind == DeviceKind::host; }

  Problem& add(std::int64_t rows, std::int64_t cols) {
    return problems_.emplace_back(matrix(rows, cols, bytes_, device_));
  }
  void add_all(std::span<const Shape> shapes) {
    for (const auto& [rows, cols] : shapes) add(rows, cols);
  }
  void add_padded(const Shape& shape, std::int64_t in_ld, std::int64_t out_ld) {
    Problem& problem = add(shape.first, shape.second);
    problem.in_ld = in_ld;
    problem.out_ld = out_ld;
  }
  // Matrices one behind the other, with so many elements between them.
  void add_batch(const Shape& shape, std::int64_t extent, std::int64_t in_gap = 0,
                 std::int64_t out_gap = 0) {
    const std::int64_t area = shape.first * shape.second;
    add(shape.first, shape.second).batch = {{extent, area + in_gap, area + out_gap}};
  }
  void add_broadcast(const Shape& shape) {
    add(shape.first, shape.second).batch = {{3, 0, shape.first * shape.second}};
  }
  void add_permuted(std::span<const std::int64_t> shape, std::span<const int> axes) {
    problems_.push_back(permutation(shape, axes, bytes_, device_));
  }
  Problem& last() { return problems_.back(); }
  // A batch that is interleaved with the columns, in another batch and alone.
  void add_interleaved(std::span<const std::int64_t> shape) {
    add_permuted(shape, std::array{0, 3, 2, 1});
    add_permuted(shape.subspan(1), std::array{2, 1, 0});
  }
  // The input's base, the output's, and both.
  void add_misaligned(std::uint32_t aligned, const Shape& one, const Shape& both) {
    add(one.first, one.second).in_alignment = aligned;
    add(one.second, one.first).out_alignment = aligned;
    set_alignment(add(both.first, both.second), aligned);
  }
  Problem& add_in_place(std::int64_t side, std::int64_t padding = 0) {
    Problem& problem = add(side, side);
    problem.in_place = true;
    if (padding != 0) problem.in_ld = problem.out_ld = side + padding;
    return problem;
  }
  // The problems that `add` adds, in buffers at multiples of 256 bytes.
  template <class Add>
  void add_aligned(const Add& add) {
    const auto before = static_cast<std::ptrdiff_t>(problems_.size());
    add();
    std::for_each(problems_.begin() + before, problems_.end(),
                  [](Problem& problem) { set_alignment(problem, kWidestAlignment); });
  }
  static void set_alignment(Problem& problem, std::uint32_t aligned) {
    problem.in_alignment = problem.out_alignment = aligned;
  }

 private:
  std::uint32_t bytes_;
  Device device_;
  std::vector<Problem> problems_;
};

}  // namespace xpose
