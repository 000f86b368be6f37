// Offsets of more than 32 bits within a tile of the strategy `permute`: the input's memory is
// reserved, and a little of it is used.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "permutation_case.hpp"

namespace {

TEST(PermuteFar, OffsetsExceed32Bits) {
  const xpose_strategy& strategy = strategy_named("permute");
  constexpr int64_t kFar = int64_t{1} << 26, kRepeats = 70, kLongest = 64;
  constexpr std::size_t kSpan = kFar * (kRepeats - 1) + 7 * kLongest;
  void* const reserved = mmap(nullptr, kSpan, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(reserved, MAP_FAILED);
  auto* const in = static_cast<unsigned char*>(reserved);
  struct Run {
    int64_t bytes;
    bool is_kept;
  };
  for (const Run run : {Run{kLongest, false}, Run{kLongest, true}, Run{kLongest - 3, true}}) {
    const int64_t bytes = run.bytes;
    const Permutation of{.bytes = 1,
                         .axes = {{bytes, 1, run.is_kept ? 1 : kRepeats},
                                  {kRepeats, kFar, run.is_kept ? bytes : 1},
                                  {3, bytes, bytes * kRepeats},
                                  {2, 4 * bytes, 3 * bytes * kRepeats}},
                         .multiprocessors = 1};
    Bytes out(6 * bytes * kRepeats), expected(6 * bytes * kRepeats);
    int served = 0;
    for_each_element(of, [&](int64_t from, int64_t to) {
      in[from] = expected.data()[to] = static_cast<unsigned char>(from % 251 + from / kFar);
    });
    for (const std::vector<int64_t>& config : configs_of(*strategy.card)) {
      SCOPED_TRACE(name_of(*strategy.card, config));
      const xpose_problem problem = problem_of(of);
      if (quote(strategy, problem, config).status != XPOSE_OK) continue;
      std::memset(out.data(), kPoison, out.size());
      const xpose_launch launch = {
          sizeof(xpose_launch), 0, in, out.data(), nullptr, nullptr, nullptr};
      const Traced traced =
          trace(strategy, problem, config, launch, {{out.data(), out.size()}, {in, kSpan}});
      EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
      EXPECT_TRUE(out == expected);
      ++served;
    }
    EXPECT_GT(served, 0);
  }
  munmap(reserved, kSpan);
}

}  // namespace
