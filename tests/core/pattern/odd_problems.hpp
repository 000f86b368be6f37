// Layouts that are awkward for a pattern: gaps, interleaved batches, one row, one element, many
// axes.
#pragma once

#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

inline std::vector<Problem> odd_problems(std::uint32_t bytes) {
  std::vector<Problem> problems = {matrix(1, 1, bytes), matrix(130, 67, bytes),
                                   matrix(3, 500, bytes), matrix(500, 3, bytes),
                                   matrix(1, 999, bytes)};
  problems.push_back(matrix(33, 65, bytes));
  problems.back().in_ld = 70;
  problems.back().out_ld = 40;
  problems.push_back(matrix(7, 9, bytes));
  problems.back().batch = {{3, 70, 130}, {2, 1, 65}};
  problems.push_back(matrix(40, 24, bytes));
  problems.back().batch = {{3, 0, std::int64_t{40} * 24}};
  constexpr std::int64_t kShape[] = {2, 3, 2, 2, 5, 2, 3, 2, 2, 2};
  constexpr int kAxes[] = {8, 3, 0, 6, 9, 4, 1, 7, 2, 5};
  problems.push_back(permutation(kShape, kAxes, bytes));
  return problems;
}

}  // namespace xpose
