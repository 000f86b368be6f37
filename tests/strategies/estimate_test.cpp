// What Policy::estimate chooses for the standard table, against what wins there when it is
// measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "bench/standard_table.hpp"
#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

// What may be chosen, the most promising first.
std::vector<Candidate> ranked(const app::Cell& cell) {
  const Problem problem = normal_form(cell.problem);
  QuoterHere quoter(problem);
  TuneOptions options;
  options.warm = cell.warm;
  std::vector<Candidate> all = candidates(loaded_plugins().strategies, problem,
                                          device_of(problem.device.kind), options, quoter);
  std::erase_if(all, [](const Candidate& candidate) {
    return candidate.role != Role::transpose || candidate.outcome.verdict != Verdict::ok;
  });
  return all;
}

using Variants = std::set<std::string>;

void expect_choices(DeviceKind kind, const std::map<std::string, Variants>& winners) {
  for (const app::Cell& cell : app::standard_table(kind)) {
    SCOPED_TRACE(cell.name);
    const auto found = winners.find(cell.name);
    ASSERT_NE(found, winners.end());
    const std::vector<Candidate> all = ranked(cell);
    ASSERT_FALSE(all.empty());
    EXPECT_TRUE(found->second.contains(to_string(all.front().variant)))
        << to_string(all.front().variant) << ", predicted " << all.front().predicted;
  }
}

// Shares of the roof behind each, by the plugins' NOTES.md; what is within 10 % of the best is
// right.
TEST(Estimate, ChoosesTheMeasuredWinners) {
  const Variants tiles = {"tile{row_bytes=256,col_bytes=256}"};
  const Variants small_tiles = {"tile{row_bytes=256,col_bytes=256}",   // 93.5 of 1 byte, 64 MiB
                                "tile{row_bytes=256,col_bytes=128}",   // 95.3
                                "tile{row_bytes=128,col_bytes=256}",   // 95.7
                                "tile{row_bytes=128,col_bytes=128}"};  // 96.2
  // Times over the least of all variants.
  const Variants tiles_of_8 = {"unaligned{width=256,height=512}"};                   // 1.023
  const Variants tiles_of_16 = {"unaligned{width=512,height=256}"};                  // 1.002
  const Variants small_tiles_of_16 = {"tile_512"};                                   // 1.001
  const Variants small_square = {"smem_pad{block_x=32,block_y=8,tile_y=32,pad=2}"};  // 1.04, cold
  const Variants low_tiles = {"tile{row_bytes=256,col_bytes=128}"};                  // 1.028
  const Variants narrow_tiles = {"tile{row_bytes=128,col_bytes=256}"};               // 1.001
  // The way to the runs: few vectors a thread.
  const Variants split = {"skinny{threads=128,vectors=2}", "skinny{threads=256,vectors=2}"};
  const Variants join = {"skinny{threads=128,vectors=4}"};
  const Variants batch = {"batch{threads=128,vectors=4}", "batch{threads=128,vectors=2}",
                          "batch{threads=256,vectors=4}", "batch{threads=256,vectors=2}"};
  const Variants wide = {"tile{row_bytes=256,col_bytes=256}", "skinny{threads=256,vectors=4}"};
  const Variants high = {"tile{row_bytes=256,col_bytes=256}", "skinny{threads=128,vectors=4}"};
  const Variants unaligned = {"unaligned{width=256,height=256}", "unaligned{width=512,height=256}",
                              "unaligned{width=256,height=512}", "unaligned{width=512,height=512}"};
  const Variants swapped = {"swap_unaligned{run=256}", "swap_unaligned{run=512}"};  // 73 and 75 %
  expect_choices(DeviceKind::cuda, {{"square of 1 GiB, 1 byte", tiles},
                                    {"square of 1 GiB, 2 bytes", tiles},
                                    {"square of 1 GiB, 4 bytes", tiles},
                                    {"square of 1 GiB, 8 bytes", tiles_of_8},
                                    {"square of 1 GiB, 16 bytes", tiles_of_16},
                                    {"square of 64 MiB, 1 byte", small_tiles},
                                    {"square of 64 MiB, 2 bytes", small_tiles},
                                    {"square of 64 MiB, 4 bytes", small_tiles},
                                    {"square of 64 MiB, 8 bytes", small_tiles},
                                    {"square of 64 MiB, 16 bytes", small_tiles_of_16},
                                    {"1024x1024, warm, 4 bytes", small_square},
                                    {"16383x16385, 1 byte",
                                     {"unaligned{width=256,height=128}",    // 89.7
                                      "unaligned{width=256,height=256}"}},  // 89.4
                                    {"16383x16385, 2 bytes",
                                     {"unaligned{width=512,height=128}",    // 93.1
                                      "unaligned{width=512,height=256}",    // 94.2
                                      "unaligned{width=256,height=256}"}},  // 93.4
                                    {"16383x16385, 4 bytes", unaligned},    // 93.4 to 94.0
                                    {"16383x16385, 8 bytes", unaligned},    // 92 to 94
                                    {"leading dimensions one element longer, 4 bytes", unaligned},
                                    {"a side of 16, 1000000x16, 4 bytes", split},
                                    {"a side of 16, 16x1000000, 4 bytes", join},
                                    {"a side of 16, 1000000x16, 8 bytes", split},
                                    {"a side of 16, 16x1000000, 8 bytes", join},
                                    {"a side of 3, 30000000x3, 1 byte", split},
                                    {"a side of 3, 3x30000000, 1 byte", join},
                                    {"a side of 3, 30000000x3, 4 bytes", split},
                                    {"a side of 3, 3x30000000, 4 bytes", join},
                                    {"a side of 128, 65536x128, 2 bytes", wide},
                                    {"a side of 128, 128x65536, 2 bytes", high},
                                    {"a side of 128, warm, 65536x128, 2 bytes", wide},
                                    {"a side of 128, warm, 128x65536, 2 bytes", high},
                                    {"NCHW to NHWC, 256 of 64x3136, 2 bytes", low_tiles},
                                    {"NCHW to NHWC, 64 of 3x262144, 2 bytes", join},
                                    {"NHWC to NCHW, 256 of 3136x64, 2 bytes", narrow_tiles},
                                    {"NHWC to NCHW, 64 of 262144x3, 2 bytes", split},
                                    {"small matrices, 1000000 of 5x5, 4 bytes", batch},
                                    {"small matrices, 4096 of 32x32, 4 bytes", split},
                                    {"small matrices, 100000 of 16x16, 8 bytes", batch},
                                    {"over 2^32 elements, 70000x70000, 1 byte", tiles},
                                    {"in place, 16384x16384, 4 bytes", {"swap_vectors{run=256}"}},
                                    {"in place, 16384x16384, one element longer, 4 bytes", swapped},
                                    {"fat elements, 4096x4096, 64 bytes", {"fat{shared=1}"}},
                                    {"fat elements, 8192x2048, 48 bytes", {"fat{shared=1}"}}});
}

TEST(Estimate, ChoosesTheMeasuredWinnersOnTheHost) {
#if defined(__x86_64__)
  const bool are_narrow = __builtin_cpu_is("amd") != 0;                        // the strips
  const bool are_long = are_narrow && __builtin_cpu_supports("avx512f") == 0;  // the runs
#else
  const bool are_narrow = false, are_long = false;
#endif
  const Variants pairs = {"host_simd{mode=220}"}, eights = {"host_simd{mode=520}"};
  const Variants stream = are_long ? eights : pairs;
  const Variants strips =
      are_long ? eights : Variants{are_narrow ? "host_simd{mode=222}" : "host_simd{mode=220}"};
  const Variants by_lines = are_long ? eights : Variants{"host_simd{mode=120}"};
  const Variants resident = {"host_simd{mode=310}"};
  const Variants twins = {"host_in_place{run=256,twins=1}"};
  const Variants one_by_one = {"host_in_place{run=256,twins=0}"};
  const Variants skinny = {"host_skinny{stream=1,ahead=2}"};
  const Variants few_rows = {"host_skinny{stream=1,ahead=1}"};
  const Variants lines = are_narrow ? Variants{"host_simd{mode=223}"} : skinny;  // a row each
  const Variants fat = {"host_fat{stream=1}"};
  expect_choices(DeviceKind::host,
                 {{"square, 4096x4096, 4 bytes", stream},
                  {"square, 8192x8192, 4 bytes", stream},
                  {"square, padded, 4096x4096, 4 bytes", stream},
                  {"square, padded, 8192x8192, 4 bytes", stream},
                  {"4095x4097, 4 bytes", strips},
                  {"a side of 16, 1000000x16, 4 bytes", lines},
                  {"a side of 16, 16x1000000, 4 bytes", pairs},
                  {"square, 4096x4096, 8 bytes", stream},
                  {"square, padded, 4096x4096, 8 bytes", stream},
                  {"square, 8192x8192, 2 bytes", stream},
                  {"square, 8192x8192, 1 byte", by_lines},
                  {"square, padded, 8192x8192, 1 byte", by_lines},
                  {"square, 4096x4096, 16 bytes", stream},
                  {"512x512, warm, one thread, 4 bytes", resident},
                  {"in place, 4096x4096, 4 bytes", twins},
                  {"in place, 4096x4096, padded, 4 bytes", one_by_one},
                  {"a side of 3, 10000000x3, 4 bytes", skinny},
                  {"a side of 3, 3x10000000, 1 byte", few_rows},
                  {"small matrices, 1000000 of 5x5, 4 bytes", skinny},
                  {"fat elements, 1024x1024, 64 bytes", fat},
                  {"fat elements, 1024x1024, 48 bytes", fat},
                  {"fat elements in place, 1024x1024, 64 bytes", {"host_fat_in_place"}}});
}

// Of fat elements nothing is measured yet: what is held is that the figures of a tile in shared
// memory are better where it is full, and those of the direct way where a side is short.
TEST(Estimate, FatElementsPassSharedMemoryUnlessASideIsShort) {
  const auto choice = [](DeviceKind kind, std::int64_t rows, std::int64_t cols, unsigned bytes) {
    app::Cell cell;
    cell.problem = matrix(rows, cols, bytes, {kind, 0});
    cell.problem.in_alignment = cell.problem.out_alignment = 256;
    const std::vector<Candidate> all = ranked(cell);
    return all.empty() ? "nothing" : to_string(all.front().variant);
  };
  for (const unsigned bytes : {32U, 48U, 64U, 128U, 256U}) {
    SCOPED_TRACE(bytes);
    EXPECT_EQ(choice(DeviceKind::cuda, 4096, 4096, bytes), "fat{shared=1}");
    EXPECT_EQ(choice(DeviceKind::cuda, 1'000'000, 2, bytes), "fat{shared=0}");
    EXPECT_EQ(choice(DeviceKind::cuda, 2, 1'000'000, bytes), "fat{shared=0}");
    EXPECT_EQ(choice(DeviceKind::host, 4096, 4096, bytes), "host_fat{stream=1}");
  }
}

// Shares of the roof are in the notes of cuda_lanes.
TEST(Estimate, SmallUnalignedMatricesGoByLanesWhereTheseWereFaster) {
  const auto choice = [](std::int64_t rows, std::int64_t cols, unsigned bytes, std::int64_t in_ld) {
    app::Cell cell;
    cell.problem = matrix(rows, cols, bytes, {DeviceKind::cuda, 0});
    cell.problem.in_ld = in_ld;
    return ranked(cell).front().variant.strategy;
  };
  EXPECT_EQ(choice(54740, 147, 1, 147), "lanes");       // 73.5, unaligned 52.6
  EXPECT_EQ(choice(30825, 113, 1, 113), "lanes");       // 74.1, 50.8
  EXPECT_EQ(choice(207642, 29, 1, 29), "lanes");        // 79.0, 23.6, skinny 67.6
  EXPECT_EQ(choice(19444, 223, 2, 263), "lanes");       // 67.6, 53.4
  EXPECT_EQ(choice(3834, 2249, 1, 2249), "unaligned");  // 69.5, 73.4
  EXPECT_EQ(choice(1812, 8127, 1, 8127), "unaligned");  // 67.1, 72.8
}

// One element a thread, of 1 byte: so far behind that a tune leaves them out.
TEST(Estimate, TheClassicStrategiesOfBytesAreFarBehind) {
  const std::vector<Candidate> all = ranked(app::standard_table(DeviceKind::cuda).front());
  const Variants classic = {"naive_row",   "naive_col", "unroll4_row",
                            "unroll4_col", "smem",      "smem_pad"};
  std::size_t seen = 0;
  for (const Candidate& candidate : all)
    if (classic.contains(candidate.variant.strategy)) {
      ++seen;
      EXPECT_GT(candidate.predicted, 2 * all.front().predicted) << to_string(candidate.variant);
    }
  EXPECT_GT(seen, 60U);
}

// Runs that are longer than the array make one tile of it, whatever a config wishes.
TEST(Estimate, VariantsOfTheSameTilesAreOne) {
  const Problem problem =
      normal_form(permutation(std::vector<std::int64_t>{5, 6, 7}, std::vector<int>{2, 1, 0}, 4));
  const auto strategies = loaded_plugins().strategies;
  const auto permute = std::ranges::find(
      strategies, "host_permute", [](const Strategy* strategy) { return strategy->info.name; });
  ASSERT_NE(permute, strategies.end());
  QuoterHere quoter(problem);
  std::size_t accepted = 0, same = 0;
  for (const Candidate& candidate :
       all_candidates(**permute, problem, device_of(DeviceKind::host), TuneOptions(), quoter)) {
    accepted += candidate.outcome.verdict == Verdict::ok;
    same += candidate.outcome.detail.find("makes the same tiles as") != std::string::npos;
  }
  EXPECT_EQ(accepted, 2U);  // into the caches, and past them
  EXPECT_EQ(same, 14U);
}

// A host of minor 0 has room for the fields of minor 0 and no more.
TEST(Estimate, AQuoteWritesOnlyWhereTheHostSaysThereIsRoom) {
  const Problem problem = normal_form(app::standard_table(DeviceKind::cuda).front().problem);
  const auto strategies = loaded_plugins().strategies;
  const auto tile = std::ranges::find(strategies, "tile",
                                      [](const Strategy* strategy) { return strategy->info.name; });
  ASSERT_NE(tile, strategies.end());
  const xpose_problem asked = to_abi(problem, 1, device_of(DeviceKind::cuda));
  const std::int64_t config[] = {256, 256};
  xpose_quote quote{};
  quote.size = offsetof(xpose_quote, blocks);
  quote.blocks = quote.load_run = 77;
  ASSERT_EQ((*tile)->functions->quote(&asked, config, &quote, {nullptr, 0}), XPOSE_OK);
  EXPECT_STREQ(quote.launch, "grid 128x128 block 512 shared 65792 B");
  EXPECT_EQ(quote.blocks, 77U);
  EXPECT_EQ(quote.load_run, 77U);
  quote.size = sizeof quote;
  ASSERT_EQ((*tile)->functions->quote(&asked, config, &quote, {nullptr, 0}), XPOSE_OK);
  EXPECT_EQ(quote.blocks, 128U * 128U);
  EXPECT_EQ(quote.load_run, 256U);
}

// A block of skinny's has one of them, of batch's many.
TEST(Estimate, TakesThinMatricesOfABatchTogether) {
  for (const std::uint32_t bytes : {1, 2, 4})
    for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>(144, 2), {2, 144}}) {
      app::Cell cell;
      cell.problem = matrix(rows, cols, bytes, Device{DeviceKind::cuda, 0});
      cell.problem.batch = {{100'000, rows * cols, rows * cols}};
      EXPECT_EQ(ranked(cell).front().variant.strategy, "batch")
          << rows << 'x' << cols << " of " << bytes << " bytes";
    }
}

}  // namespace
}  // namespace xpose
