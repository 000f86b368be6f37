#include "simulation/account.hpp"

#include <gtest/gtest.h>

#include <array>

namespace xpose {
namespace {

std::array<std::byte, 8192> buffer;  // what global accesses are in

// Sites are small numbers; sites of one tens digit are on one line.
SourceLine line_of_site(const void* site) {
  return {"kernel.cuh", static_cast<int>(reinterpret_cast<std::uintptr_t>(site) / 10)};
}

struct Listener {
  xpose_region region = {buffer.data(), buffer.size()};
  Account account{{region}};
  xpose_observer observer = account.observer({&region, 1});

  Listener() { kernel("k"); }

  void kernel(const char* name, std::uint32_t blocks = 2) {
    const xpose_kernel kernel{sizeof kernel, 0, name, {blocks, 1, 1}, {64, 1, 1}, 128};
    observer.kernel(observer.context, &kernel);
    observer.block(observer.context, 0);
  }
  void access(std::uint64_t site, std::uint32_t space, std::uint32_t kind, std::uint64_t first,
              std::uint64_t stride, std::uint32_t lanes = ~0U, std::uint32_t bytes = 4) {
    xpose_access access{};
    access.size = sizeof access;
    access.space = space;
    access.kind = kind;
    access.lane_bytes = bytes;
    access.site = reinterpret_cast<const void*>(site);
    access.lanes = lanes;
    if (space == XPOSE_GLOBAL) first += reinterpret_cast<std::uintptr_t>(buffer.data());
    for (std::uint64_t lane = 0; lane < 32; ++lane) access.address[lane] = first + lane * stride;
    observer.access(observer.context, &access);
  }
  AccessAccount finish() const { return account.finish(line_of_site); }
};

TEST(Account, MergesSitesOfALineUnlessTheyDiffer) {
  Listener listener;
  listener.access(10, XPOSE_GLOBAL, XPOSE_LOAD, 0, 4);
  listener.access(11, XPOSE_GLOBAL, XPOSE_LOAD, 128, 4);
  listener.access(12, XPOSE_GLOBAL, XPOSE_STORE, 128, 4);
  listener.access(13, XPOSE_SHARED, XPOSE_STORE, 0, 128);
  listener.access(14, XPOSE_GLOBAL, XPOSE_LOAD, 0, 8, 1, 8);
  listener.access(20, XPOSE_GLOBAL, XPOSE_LOAD, 0, 128);
  const AccessAccount account = listener.finish();
  ASSERT_EQ(account.kernels.size(), 1U);
  const auto& sites = account.kernels[0].sites;
  ASSERT_EQ(sites.size(), 5U);
  EXPECT_EQ(sites[0].requests, 2U);
  EXPECT_EQ(sites[0].bytes, 256U);
  EXPECT_EQ(sites[1].kind, AccessKind::store);
  EXPECT_EQ(sites[2].space, MemorySpace::shared);
  EXPECT_EQ(sites[2].wavefronts, 32U);
  EXPECT_EQ(sites[2].ideal_wavefronts, 1U);
  EXPECT_EQ(sites[2].worst_conflict, 32U);
  EXPECT_EQ(sites[2].sectors, 0U);
  EXPECT_EQ(sites[3].lane_bytes, 8U);
  EXPECT_EQ(sites[4].where, (SourceLine{"kernel.cuh", 2}));
  EXPECT_EQ(sites[4].sectors, 32U);
  EXPECT_EQ(sites[4].ideal_sectors, 4U);
  EXPECT_EQ(account.totals().load_requests, 4U);
  EXPECT_EQ(account.totals().store_wavefronts, 32U);
}

TEST(Account, SitesWithoutLinesStayApart) {
  Listener listener;
  listener.access(10, XPOSE_GLOBAL, XPOSE_LOAD, 0, 4);
  listener.access(11, XPOSE_GLOBAL, XPOSE_LOAD, 0, 4);
  const auto account = listener.account.finish([](const void*) { return SourceLine{}; });
  EXPECT_EQ(account.kernels[0].sites.size(), 2U);
}

TEST(Account, TheExampleIsTheFirstWarpWithTheMostLanes) {
  Listener listener;
  listener.access(10, XPOSE_GLOBAL, XPOSE_LOAD, 0, 4, 0xff);
  listener.access(11, XPOSE_GLOBAL, XPOSE_LOAD, 64, 4, 0xffff);
  listener.access(10, XPOSE_GLOBAL, XPOSE_LOAD, 256, 4, 0xffff0000);
  const WarpAccess example = listener.finish().kernels[0].sites[0].example;
  EXPECT_EQ(example.lanes, 0xffff0000U);
  EXPECT_EQ(example.offset[16], 256U + 16 * 4);
  EXPECT_EQ(example.offset[0], 0U);
}

TEST(Account, LaunchesOfAKernelAreOne) {
  Listener listener;
  listener.kernel("other");
  listener.kernel("k", 9);
  listener.observer.barrier(listener.observer.context, nullptr, XPOSE_ALL_WARPS);
  listener.observer.barrier(listener.observer.context, nullptr, 1);
  const AccessAccount account = listener.finish();
  ASSERT_EQ(account.kernels.size(), 2U);
  EXPECT_EQ(account.kernels[0].name, "k");
  EXPECT_EQ(account.kernels[0].launches, 2U);
  EXPECT_EQ(account.kernels[0].grid[0], 2U);
  EXPECT_EQ(account.kernels[0].block[0], 64U);
  EXPECT_EQ(account.kernels[0].shared_bytes, 128U);
  EXPECT_EQ(account.kernels[0].barriers, 1U);
}

TEST(Account, FindingsOfALineAreCounted) {
  Listener listener;
  listener.access(10, XPOSE_SHARED, XPOSE_LOAD, 0, 4, 3);
  listener.access(11, XPOSE_SHARED, XPOSE_LOAD, 0, 4, 1);
  listener.access(20, XPOSE_SHARED, XPOSE_LOAD, 0, 4, 1);
  const xpose_fault fault{sizeof fault, XPOSE_OUT_OF_BOUNDS, nullptr, 7, 9, XPOSE_LOAD, "a\nb"};
  listener.observer.fault(listener.observer.context, &fault);
  const auto findings = listener.finish().findings;
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[1].times, 3U);
  EXPECT_EQ(findings[1].kind, FindingKind::uninitialised_shared);
  EXPECT_EQ(findings[1].text,
            "read 4 bytes at offset 0 of shared memory that its block has not written");
  EXPECT_EQ(findings[2].times, 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(findings[0].block, 7U);
  EXPECT_EQ(findings[0].thread, 9U);
  EXPECT_EQ(findings[0].text, "a b");
  EXPECT_EQ(findings[0].access, AccessKind::load);
}

TEST(Account, RefusesAnAccessOfAnOddWidth) {
  Listener listener;
  listener.access(10, XPOSE_GLOBAL, XPOSE_LOAD, 0, 4, 1, 3);
  EXPECT_THROW(listener.finish(), Error);
}

}  // namespace
}  // namespace xpose
