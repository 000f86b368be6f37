#include "simulation/shared_shadow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <random>
#include <string>

namespace xpose {
namespace {

struct Seen {
  FindingKind kind;
  std::uint32_t thread;
  std::uint32_t other;
  std::uint64_t offset;
  bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << (seen.kind == FindingKind::race ? "race" : "uninitialised") << " of " << seen.thread
       << " with " << seen.other << " at " << seen.offset;
}

constexpr std::uint32_t kWhole = ~0U;

// A block whose accesses are collected.
struct Block {
  SharedShadow shadow;
  std::vector<Seen> seen;

  Block() { shadow.start_block(); }

  void access(AccessKind kind, std::uint32_t warp, std::uint32_t lanes, std::uint32_t bytes,
              const std::function<std::uint64_t(std::uint64_t)>& offset) {
    std::array<std::uint64_t, 32> offsets{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) offsets.at(lane) = offset(lane);
    shadow.access(
        kind, warp, lanes, bytes, offsets,
        [&](FindingKind what, std::uint32_t thread, std::uint32_t other, std::uint64_t at) {
          seen.push_back({what, thread, other, at});
        });
  }
  // One thread at one offset.
  void load(std::uint32_t thread, std::uint64_t at, std::uint32_t bytes = 4) {
    access(AccessKind::load, thread / 32, 1U << thread % 32, bytes, [=](auto) { return at; });
  }
  void store(std::uint32_t thread, std::uint64_t at, std::uint32_t bytes = 4) {
    access(AccessKind::store, thread / 32, 1U << thread % 32, bytes, [=](auto) { return at; });
  }
};

using Seens = std::vector<Seen>;

TEST(SharedShadow, ARightTileIsSilentInEveryBlock) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    Block block;
    for (int repeat = 0; repeat < 3; ++repeat) {
      block.shadow.start_block();
      for (std::uint32_t warp = 0; warp < 32; ++warp)
        block.access(AccessKind::store, warp, kWhole, bytes,
                     [&](auto lane) { return (warp * 33 + lane) * bytes; });
      block.shadow.barrier_of_block();
      for (std::uint32_t warp = 0; warp < 32; ++warp)
        block.access(AccessKind::load, warp, kWhole, bytes,
                     [&](auto lane) { return (lane * 33 + warp) * bytes; });
    }
    EXPECT_EQ(block.seen, Seens{}) << bytes;
  }
}

TEST(SharedShadow, ReadOfWhatAnotherThreadWrites) {
  Block block;
  block.store(40, 8);
  block.load(3, 8);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 3, 40, 8}}));
}

TEST(SharedShadow, WriteOfWhatAnotherThreadReads) {
  Block block;
  block.store(3, 8);
  block.shadow.barrier_of_block();
  block.load(3, 8);
  block.store(40, 8);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 40, 3, 8}}));
}

TEST(SharedShadow, WriteOfWhatAnotherThreadWrites) {
  Block block;
  block.store(3, 8);
  block.store(4, 8);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 4, 3, 8}}));
}

TEST(SharedShadow, LanesOfOneInstructionRaceAsWell) {
  Block block;
  block.access(AccessKind::store, 0, 3, 4, [](auto) { return 0; });
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 1, 0, 0}}));
}

TEST(SharedShadow, AThreadMayReadAndWriteItsOwn) {
  Block block;
  block.store(5, 8);
  block.load(5, 8);
  block.store(5, 8);
  EXPECT_EQ(block.seen, Seens{});
}

TEST(SharedShadow, AnyReaderButTheWriterRaces) {
  Block block;
  block.store(1, 0);
  block.shadow.barrier_of_block();
  block.load(2, 0);
  block.load(7, 0);
  block.store(7, 0);  // thread 2 has read it
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 7, 2, 0}}));
}

TEST(SharedShadow, ReadersOfTwoWarpsAreRemembered) {
  Block block;
  block.store(1, 0);
  block.shadow.barrier_of_block();
  block.load(40, 0);
  block.load(1, 0);
  block.store(1, 0);  // thread 40 has read it
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 1, 40, 0}}));
}

TEST(SharedShadow, ABarrierOfTheBlockSeparatesAll) {
  Block block;
  block.store(40, 8);
  block.shadow.barrier_of_block();
  block.load(3, 8);
  block.shadow.barrier_of_block();
  block.store(70, 8);
  EXPECT_EQ(block.seen, Seens{});
}

TEST(SharedShadow, ABarrierOfAWarpSeparatesItsOwnThreads) {
  Block block;
  block.store(40, 8);
  block.shadow.barrier_of_warp(1);
  block.load(33, 8);
  EXPECT_EQ(block.seen, Seens{});
  block.load(3, 8);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 3, 40, 8}}));
}

TEST(SharedShadow, ABarrierOfAWarpSeparatesReadersFromItsWriter) {
  Block block;
  block.store(32, 0);
  block.shadow.barrier_of_block();
  block.load(33, 0);
  block.load(34, 0);
  block.shadow.barrier_of_warp(1);
  block.store(35, 0);
  EXPECT_EQ(block.seen, Seens{});
  block.shadow.barrier_of_warp(1);
  block.store(64, 0);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 64, 35, 0}}));
}

TEST(SharedShadow, ABarrierOfAnotherWarpSeparatesNothing) {
  Block block;
  block.store(40, 8);
  block.shadow.barrier_of_warp(0);
  block.load(41, 8);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 41, 40, 8}}));
}

TEST(SharedShadow, ReadOfWhatWasNeverWritten) {
  Block block;
  block.load(3, 16);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::uninitialised_shared, 3, 3, 16}}));
}

TEST(SharedShadow, WhatTheLastBlockWroteIsNotThere) {
  Block block;
  block.store(3, 16);
  block.shadow.start_block();
  block.load(3, 16);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::uninitialised_shared, 3, 3, 16}}));
}

TEST(SharedShadow, BytesOfAWordAreTheirOwn) {
  Block block;
  block.store(0, 0, 1);
  block.store(1, 1, 1);
  block.load(0, 0, 1);
  EXPECT_EQ(block.seen, Seens{});
  block.load(0, 0, 4);  // bytes 2 and 3 were not written, byte 1 by another thread
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 0, 1, 0}}));
}

TEST(SharedShadow, NarrowAccessesAfterWideOnesKeepWhatWasSeen) {
  Block block;
  block.store(0, 0, 16);
  block.load(1, 15, 1);
  EXPECT_EQ(block.seen, (Seens{{FindingKind::race, 1, 0, 15}}));
  block.shadow.barrier_of_block();
  block.load(1, 3, 1);
  EXPECT_EQ(block.seen.size(), 1U);
  block.load(1, 16, 1);
  EXPECT_EQ(block.seen.back().kind, FindingKind::uninitialised_shared);
}

// Accesses of every width and place, beside those of a shadow that is shown each byte by itself.
TEST(SharedShadow, CellsOfAnyWidthSayWhatBytesSay) {
  std::mt19937 draw(20261130);
  const auto below = [&](std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(draw);
  };
  std::size_t races = 0, unwritten = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Block block, of_bytes;
    const std::uint32_t narrow = below(4);  // one access in so many is of less than a word
    for (int step = 0; step < 200; ++step) {
      const std::uint32_t what = below(20);
      if (what == 0) {
        const bool is_new = below(4) == 0;
        for (SharedShadow* shadow : {&block.shadow, &of_bytes.shadow})
          is_new ? shadow->start_block() : shadow->barrier_of_block();
        continue;
      }
      if (what < 4) {
        const std::uint32_t warp = below(2);
        for (SharedShadow* shadow : {&block.shadow, &of_bytes.shadow})
          shadow->barrier_of_warp(warp);
        continue;
      }
      const std::uint32_t thread = 31 + below(3);
      const std::uint32_t bytes =
          narrow != 0 && below(narrow) == 0 ? 1U << below(2) : 4U << below(3);
      const std::uint64_t at = below(48 / bytes) * bytes + (bytes < 16 ? below(8) / 7 : 0);
      const AccessKind kind = what < 12 ? AccessKind::load : AccessKind::store;
      block.seen.clear();
      of_bytes.seen.clear();
      const auto show = [&](Block& to, std::uint64_t offset, std::uint32_t width) {
        kind == AccessKind::load ? to.load(thread, offset, width) : to.store(thread, offset, width);
      };
      show(block, at, bytes);
      for (std::uint64_t byte = at; byte < at + bytes; ++byte) show(of_bytes, byte, 1);
      // One report for all bytes of an access, a race if there is one.
      const auto is_race = [](const Seen& seen) { return seen.kind == FindingKind::race; };
      const bool has_race = std::ranges::any_of(of_bytes.seen, is_race);
      ASSERT_EQ(block.seen.size(), of_bytes.seen.empty() ? 0U : 1U) << step;
      if (!block.seen.empty()) {
        ASSERT_EQ(is_race(block.seen.front()), has_race) << step;
        ++(has_race ? races : unwritten);
      }
    }
  }
  EXPECT_GT(races, 1000U);
  EXPECT_GT(unwritten, 1000U);
}

TEST(SharedShadow, OffsetsOfNoSharedMemoryAreNotLookedAt) {
  Block block;
  block.store(0, SharedShadow::kMaxBytes);
  block.load(1, ~std::uint64_t{0} - 3);
  EXPECT_EQ(block.seen, Seens{});
}

}  // namespace
}  // namespace xpose
