#include "conformance/conformance_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

class ConformanceProblems : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::vector<Problem> problems_ = conformance_problems(GetParam(), Device{});
};

// A strategy that looks at addresses meets those that plugins are promised, and those of callers.
TEST_P(ConformanceProblems, BeginAtTheAddressesOfRowsAndOfCallers) {
  const auto of_base = [&](std::uint32_t bytes) {
    return std::ranges::any_of(problems_, [&](const Problem& problem) {
      const Problem normal = normal_form(problem);
      return row_alignment(normal).out < 32 && normal.out_alignment == bytes &&
             element_count(normal) > 500;
    });
  };
  EXPECT_TRUE(of_base(256));
  for (const std::uint32_t bytes : {GetParam(), 1U})
    EXPECT_TRUE(bytes > 16 || of_base(bytes)) << bytes;
}

TEST_P(ConformanceProblems, BeginNowhereBetween) {
  for (const Problem& problem : problems_) {
    const Problem normal = normal_form(problem);
    const Alignment rows = row_alignment(normal);
    EXPECT_TRUE(normal.in_alignment == rows.in || problem.in_alignment == 256);
    EXPECT_TRUE(normal.out_alignment == rows.out || problem.out_alignment == 256);
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, ConformanceProblems, testing::Values(1, 2, 4, 8, 16, 48));

}  // namespace
}  // namespace xpose
