// What the observer is told of kernels that are right.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "cases.hpp"

namespace {

// An access is as described, with at(lane) the address of every active lane.
void expect_access(const xpose_access& access, uint32_t space, uint32_t kind, uint32_t bytes,
                   uint32_t warp, uint32_t lanes, const std::function<uint64_t(unsigned)>& at) {
  EXPECT_EQ(access.size, sizeof access);
  EXPECT_EQ(access.space, space);
  EXPECT_EQ(access.kind, kind);
  EXPECT_EQ(access.lane_bytes, bytes);
  EXPECT_EQ(access.warp, warp);
  EXPECT_EQ(access.lanes, lanes);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) {
      EXPECT_EQ(access.address[lane], at(lane)) << "lane " << lane;
    }
}

bool in_the_plugin(const void* site) {
  Dl_info info = {};
  return dladdr(site, &info) != 0 && std::string(info.dli_fname) == XPOSE_CASES;
}

TEST(Events, OfAStagedTileWithAPartialWarp) {
  Case staged("staged", 40, 2);
  const Traced traced = staged.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  ASSERT_EQ(traced.kernels.size(), 1u);
  EXPECT_EQ(traced.kernels[0].grid[0], 2u);
  EXPECT_EQ(traced.kernels[0].block[0], 40u);
  EXPECT_EQ(traced.kernels[0].shared_bytes, 1024u);
  for (unsigned i = 0; i < 80; ++i) EXPECT_EQ(staged.out[i], 1000 + i / 40 * 40 + 39);

  // Of each block: it begins, three accesses of each warp, the barrier, three of each warp.
  ASSERT_EQ(traced.events.size(), 2u * 14);
  for (uint64_t block = 0; block < 2; ++block) {
    const auto* const event = &traced.events[block * 14];
    const auto access = [&](unsigned i) { return std::get<xpose_access>(event[i]); };
    EXPECT_EQ(std::get<Block>(event[0]).number, block);
    uint64_t fixed = 0;  // where the static array begins
    for (const uint32_t warp : {0u, 1u}) {
      const uint32_t lanes = warp == 0 ? 0xffffffff : 0xff;
      const unsigned first = 32 * warp, at = 1 + 3 * warp;
      expect_access(access(at), XPOSE_GLOBAL, XPOSE_LOAD, 4, warp, lanes,
                    [&](unsigned lane) { return staged.in_at(block * 40 + first + lane); });
      if (warp == 0) fixed = access(at + 1).address[0];
      expect_access(access(at + 1), XPOSE_SHARED, XPOSE_STORE, 4, warp, lanes,
                    [&](unsigned lane) { return fixed + 4 * (first + lane); });
      expect_access(access(at + 2), XPOSE_SHARED, XPOSE_STORE, 4, warp, lanes,
                    [&](unsigned lane) { return 8 * (first + lane); });
      expect_access(access(8 + 3 * warp), XPOSE_SHARED, XPOSE_LOAD, 4, warp, lanes,
                    [&](unsigned lane) { return fixed + 4 * (39 - first - lane); });
      expect_access(access(9 + 3 * warp), XPOSE_SHARED, XPOSE_LOAD, 4, warp, lanes,
                    [&](unsigned lane) { return 8 * (first + lane); });
      expect_access(access(10 + 3 * warp), XPOSE_GLOBAL, XPOSE_STORE, 4, warp, lanes,
                    [&](unsigned lane) { return staged.out_at(block * 40 + first + lane); });
    }
    EXPECT_EQ(fixed % 128, 0u);
    EXPECT_GE(fixed, 227u * 1024);  // apart from every dynamic offset
    EXPECT_EQ(std::get<Barrier>(event[7]).warp, XPOSE_ALL_WARPS);
    EXPECT_TRUE(in_the_plugin(std::get<Barrier>(event[7]).site));
  }

  // A site an access of the source, for every warp and block.
  std::map<const void*, int> sites;
  for (const xpose_access& access : traced.accesses()) ++sites[access.site];
  EXPECT_EQ(sites.size(), 6u);
  for (const auto& [site, times] : sites) {
    EXPECT_EQ(times, 4);
    EXPECT_TRUE(in_the_plugin(site));
  }
}

TEST(Events, OfLanesThatDiverge) {
  Case branches("branches");
  const Traced traced = branches.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  constexpr uint32_t kEven = 0x55555555, kOdd = 0xaaaaaaaa;
  uint32_t thirds[3] = {};  // lanes whose loop has a first, a second and a third turn
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i <= lane % 3; ++i) thirds[i] |= 1u << lane;

  std::map<uint32_t, int> loads, stores;
  std::array<std::vector<uint64_t>, 32> stored;
  for (const xpose_access& access : traced.accesses()) {
    ++(access.kind == XPOSE_LOAD ? loads : stores)[access.lanes];
    for (unsigned lane = 0; lane < 32; ++lane)
      if (access.kind == XPOSE_STORE && access.lanes >> lane & 1)
        stored[lane].push_back(access.address[lane]);
  }
  EXPECT_EQ(loads, (std::map<uint32_t, int>{{kEven, 1}, {kOdd, 1}}));
  // The compiler may make one store of the branches' two.
  std::map<uint32_t, int> loop = {{thirds[0], 1}, {thirds[1], 1}, {thirds[2], 1}};
  std::map<uint32_t, int> split = loop, joined = loop;
  ++split[kEven], ++split[kOdd];
  ++joined[0xffffffff];
  EXPECT_TRUE(stores == split || stores == joined) << testing::PrintToString(stores);
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::vector<uint64_t> expected = {branches.out_at(lane)};
    for (unsigned i = 0; i <= lane % 3; ++i)
      expected.push_back(branches.out_at(100 + 10 * lane + i));
    EXPECT_EQ(stored[lane], expected) << "lane " << lane;
  }
}

TEST(Events, OfThreadsThatReturnEarly) {
  Case early("early_return", 64);
  const Traced traced = early.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  const std::vector<xpose_access> accesses = traced.accesses();
  ASSERT_EQ(accesses.size(), 2u);
  expect_access(accesses[0], XPOSE_GLOBAL, XPOSE_LOAD, 4, 0, 0x1f,
                [&](unsigned lane) { return early.in_at(lane); });
  expect_access(accesses[1], XPOSE_GLOBAL, XPOSE_STORE, 4, 0, 0x1f,
                [&](unsigned lane) { return early.out_at(lane); });
}

TEST(Events, ShufflesAndVotesOfAWarp) {
  Case shuffled("shuffled");
  const Traced traced = shuffled.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(shuffled.out[t], 1000 + (t ^ 1));
    EXPECT_EQ(shuffled.out[32 + t], t % 8 < 2 ? t : t - 2);
    EXPECT_EQ(shuffled.out[64 + t], t % 16 + 3 < 16 ? t + 3 : t);
    EXPECT_EQ(shuffled.out[96 + t], t / 4 * 4 + 3);
    EXPECT_EQ(shuffled.out[128 + t], 0x49249249u);
    EXPECT_EQ(shuffled.out[160 + t], 2u);
    EXPECT_EQ(shuffled.out[192 + t], 31 - t + 1);
    EXPECT_EQ(shuffled.out[224 + t], t < 16 ? t ^ 8 : 0xffffffffu);
  }
  // The one barrier that all lanes pass.
  int barriers = 0;
  for (const auto& event : traced.events)
    if (const auto* barrier = std::get_if<Barrier>(&event)) {
      ++barriers;
      EXPECT_EQ(barrier->warp, 0u);
    }
  EXPECT_EQ(barriers, 1);
}

TEST(Events, VotesOfABlock) {
  Case voted("voted", 65);
  ASSERT_EQ(voted.run().status, XPOSE_OK);
  for (unsigned t = 0; t < 65; ++t) EXPECT_EQ(voted.out[t], 40u * 4 + 1);
}

// Every access of a case that moves one element a thread, in `words` accesses of `bytes` each.
void expect_moves(const char* name, uint32_t bytes, unsigned words) {
  SCOPED_TRACE(name);
  Case moves(name);
  const Traced traced = moves.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  const std::vector<xpose_access> accesses = traced.accesses();
  ASSERT_EQ(accesses.size(), 2 * words);
  const uint64_t element = uint64_t{bytes} * words;
  for (unsigned i = 0; i < 2 * words; ++i) {
    const uint64_t base = i < words ? moves.in_at(0) : moves.out_at(0);
    expect_access(
        accesses[i], XPOSE_GLOBAL, i < words ? XPOSE_LOAD : XPOSE_STORE, bytes, 0, 0xffffffff,
        [&](unsigned lane) { return base + lane * element + uint64_t{bytes} * (i % words); });
  }
}

TEST(Events, ElementsMoveInAccessesOfTheirAlignment) {
  expect_moves("element_16", 16, 1);
  expect_moves("element_16_4", 4, 4);
  expect_moves("element_8_2", 2, 4);
  expect_moves("element_1", 1, 1);
}

TEST(Events, VectorsAreOneAccess) {
  Case vectors("vectors");
  const Traced traced = vectors.run();
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  const std::vector<xpose_access> accesses = traced.accesses();
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[0].lane_bytes, 16u);
  EXPECT_EQ(accesses[1].lane_bytes, 16u);
  std::multiset<uint32_t> kinds;
  for (const unsigned i : {2u, 3u}) {
    EXPECT_EQ(accesses[i].lane_bytes, 8u);
    kinds.insert(accesses[i].kind);
  }
  EXPECT_EQ(kinds, (std::multiset<uint32_t>{XPOSE_LOAD, XPOSE_STORE}));
}

}  // namespace
