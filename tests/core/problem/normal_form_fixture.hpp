// What tests of the normal form share: problems with gaps, and the words of a refusal.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "problem/normal_form.hpp"

namespace xpose {

inline Problem strided(std::int64_t rows, std::int64_t cols, std::int64_t in_ld,
                       std::int64_t out_ld) {
  Problem problem = matrix(rows, cols, 4);
  problem.in_ld = in_ld;
  problem.out_ld = out_ld;
  return problem;
}

inline Problem square_in_place(std::int64_t side, std::int64_t ld) {
  Problem problem = strided(side, side, ld, ld);
  problem.in_place = true;
  return problem;
}

inline void expect_refused(const Problem& problem, const std::string& fragment) {
  try {
    normal_form(problem);
    ADD_FAILURE() << to_string(problem) << " was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid);
    EXPECT_NE(std::string(e.what()).find(fragment), std::string::npos) << e.what();
  }
}

}  // namespace xpose
