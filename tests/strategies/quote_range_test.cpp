// What every strategy answers for sizes up to the most that a problem may have. Under the
// undefined-behaviour sanitizer no figure of a quote overflows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 56;  // bytes

// A rows x cols matrix cut to what may be, in buffers of both alignments, in place where square,
// with rows far apart, and as one of a batch.
std::vector<Problem> problems(std::int64_t rows, std::int64_t cols, std::uint32_t bytes,
                              Device device) {
  const std::int64_t elements = kMost / bytes;
  Problem problem = matrix(std::min(rows, elements), 1, bytes, device);
  problem.cols = std::min(cols, elements / problem.rows);
  std::vector<Problem> all = {problem, problem};
  all[1].in_alignment = all[1].out_alignment = 256;
  if (problem.rows == problem.cols && problem.rows > 1) {
    all.push_back(problem);
    all.back().in_place = true;
  }
  const std::int64_t side = std::max(problem.rows, problem.cols);
  if (const std::int64_t far = elements / side - 1; far > side) {
    all.push_back(problem);
    all.back().in_ld = all.back().out_ld = far;
  }
  if (const std::int64_t count = elements / (problem.rows * problem.cols); count > 2) {
    const std::int64_t apart = problem.rows * problem.cols + 1;
    all.push_back(problem);
    all.back().batch = {{std::max<std::int64_t>(elements / apart, 1), apart, apart}};
  }
  return all;
}

void expect_sound(const Strategy& strategy, const Problem& normal) {
  const DeviceInfo device = device_of(normal.device.kind);
  for (const Values& values : configs(strategy.info)) {
    const QuoteAnswer answer = quote(strategy, values, normal, device);
    if (answer.outcome.verdict == Verdict::unsupported) continue;
    ASSERT_EQ(answer.outcome.verdict, Verdict::ok) << answer.outcome.detail;
    EXPECT_LE(answer.workspace_bytes, static_cast<std::uint64_t>(2 * kMost));
    const double predicted = predicted_time(answer.demand, normal, device, false);
    EXPECT_GT(predicted, 0);
    EXPECT_FALSE(std::isnan(predicted));
  }
}

class QuoteRange : public testing::TestWithParam<std::uint32_t> {};

// Issue: sizes near 2^63 overflowed in the quote of host_simd.
TEST_P(QuoteRange, NoSizeOverflows) {
  constexpr std::int64_t kTwo = 2;
  const std::vector<std::int64_t> extents = {1,
                                             3,
                                             128,
                                             (kTwo << 15) + 1,
                                             (kTwo << 27) - 1,
                                             (kTwo << 30) - 1,
                                             kTwo << 30,
                                             (kTwo << 30) + 1,
                                             kTwo << 31,
                                             (kTwo << 40) + 1,
                                             kMost};
  for (const Strategy* strategy : loaded_plugins().strategies)
    for (const std::int64_t rows : extents)
      for (const std::int64_t cols : extents)
        for (const Problem& problem :
             problems(rows, cols, GetParam(), {strategy->info.device_kind, 0})) {
          SCOPED_TRACE(strategy->info.name + " on " + to_string(problem));
          expect_sound(*strategy, normal_form(problem));
          if (HasFatalFailure()) return;
        }
}

INSTANTIATE_TEST_SUITE_P(EachSize, QuoteRange, testing::Values(1U, 2U, 4U, 8U, 16U, 48U, 256U),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

}  // namespace
}  // namespace xpose
