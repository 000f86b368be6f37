// What the classic strategies quote: the launches of the study they come from, and why not.
#include <gtest/gtest.h>

#include <map>

#include "abi_case.hpp"

namespace {

TEST(Quote, OffersTheDefaultShapeOfTheStudy) {
  const Case c = {4096, 4096};
  const std::map<std::string, std::string> expected = {
      {"naive_row", "grid 128x256 block 32x16"},
      {"naive_col", "grid 128x256 block 32x16"},
      {"unroll4_row", "grid 32x256 block 32x16"},
      {"unroll4_col", "grid 32x256 block 32x16"},
      {"smem", "grid 128x256 block 32x16 shared 2048 B"},
      {"smem_pad", "grid 128x256 block 32x16 shared 2176 B"},
      {"smem_unroll2", "grid 64x256 block 32x16 shared 4096 B"},
      {"smem_unroll2_pad", "grid 64x256 block 32x16 shared 4224 B"},
      {"copy_row", "grid 128x256 block 32x16"},
      {"copy_col", "grid 128x256 block 32x16"},
      {"copy_wide", "grid 4096 block 256"},
      {"copy_device_memcpy", "cudaMemcpyAsync"}};
  std::map<std::string, std::string> offered;
  for (const auto& [name, launch] : expected) {
    const xpose_strategy& strategy = strategy_named(name);
    const xpose_card& card = *strategy.card;
    offered[name] = quote(strategy, problem_of(c, 4, card.role), configs_of(card).front()).text;
  }
  EXPECT_EQ(offered, expected);
}

TEST(Quote, SaysWhyAConfigIsRefused) {
  const auto reason = [](const char* name, uint32_t bytes, const std::vector<int64_t>& config) {
    const Answer answer =
        quote(strategy_named(name), problem_of({64, 64}, bytes, XPOSE_TRANSPOSE), config);
    EXPECT_EQ(answer.status, XPOSE_UNSUPPORTED);
    return answer.text;
  };
  EXPECT_EQ(reason("naive_col", 4, {64, 32}),
            "a block of 64x32 threads is more than the 1024 a device runs");
  EXPECT_EQ(reason("smem", 4, {32, 32, 16}), "tile_y=16 is not a multiple of block_y=32");
  EXPECT_EQ(reason("smem_pad", 2, {32, 16, 16, 4}),
            "pad=4 needs 1-byte elements; for 2-byte elements pad=2 does the same");
  EXPECT_EQ(reason("smem_unroll2_pad", 8, {32, 16, 16, 4}),
            "pad=4 needs 1-byte elements; for 8-byte elements pad=1 does the same");
}

}  // namespace
