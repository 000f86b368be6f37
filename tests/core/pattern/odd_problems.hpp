// Layouts that are awkward for a pattern: gaps, interleaved batches, one row, one element.
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
  return problems;
}

}  // namespace xpose
