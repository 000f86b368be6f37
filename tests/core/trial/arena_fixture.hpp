// A problem that tests of the arena share.
#pragma once

#include <cstdint>

#include "problem/normal_form.hpp"

namespace xpose {

// Two squares with gaps.
inline Problem in_place(std::uint32_t bytes) {
  Problem problem = matrix(21, 21, bytes);
  problem.in_ld = problem.out_ld = 24;
  problem.batch = {{2, 1000, 1000}};
  problem.in_place = true;
  return normal_form(problem);
}

}  // namespace xpose
