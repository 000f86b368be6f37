#include "explain/limiter.hpp"

#include <gtest/gtest.h>

#include "explain/resident_loads.hpp"

namespace xpose {
namespace {

// A launch over 4096x4096 of 4 bytes with one global load and one global store, as in the study.
struct Told : Explanation {
  Told() {
    simulation.emplace();
    KernelAccount& kernel = simulation->kernels.emplace_back();
    kernel.name = "k";
    kernel.grid = {128, 256, 1};
    kernel.block = {32, 16, 1};
    kernel.launches = 1;
    site(AccessKind::load, 2097152, 2097152, 20);
    site(AccessKind::store, 2097152, 2097152, 30);
    variant.strategy = "s";
  }
  void site(AccessKind kind, std::uint64_t sectors, std::uint64_t ideal, int line) {
    AccessSite& site = simulation->kernels[0].sites.emplace_back();
    site.where = {"/src/k.cuh", line};
    site.kind = kind;
    site.lane_bytes = 4;
    site.bytes = std::uint64_t{4096} * 4096 * 4;
    site.sectors = sectors;
    site.ideal_sectors = ideal;
  }
  void shared(std::uint64_t wavefronts, std::uint64_t ideal, std::uint32_t conflict) {
    AccessSite& site = simulation->kernels[0].sites.emplace_back();
    site.where = {"/src/k.cuh", 40};
    site.space = MemorySpace::shared;
    site.wavefronts = wavefronts;
    site.ideal_wavefronts = ideal;
    site.worst_conflict = conflict;
  }
  // Eight times the threads' elements.
  void deeper() { simulation->kernels[0].grid = {128, 32, 1}; }
  void measured(double share) {
    hardware.emplace();
    hardware->totals = simulation->totals();
    hardware->seconds = 1e-4;
    hardware->roof_seconds = share * 1e-4;
    hardware->instructions = 1000;
    hardware->blocks_per_multiprocessor = 4;
    hardware->dram_read_bytes = hardware->dram_write_bytes = std::uint64_t{4096} * 4096 * 4;
  }
};

void expect(const Explanation& told, Limiter limiter, const std::string& words) {
  EXPECT_EQ(limiter_of(told), limiter);
  EXPECT_NE(limiter_words(told).find(words), std::string::npos) << limiter_words(told);
}

TEST(Limiter, UncoalescedStores) {
  Told told;
  told.simulation->kernels[0].sites[1].sectors *= 8;
  expect(told, Limiter::uncoalesced_stores,
         "The limiter is uncoalesced stores at k.cuh:30: they move 16777216 sectors of 32 bytes, 8 "
         "times the 2097152 that their bytes fill.");
}

TEST(Limiter, UncoalescedLoads) {
  Told told;
  told.simulation->kernels[0].sites[0].sectors *= 8;
  expect(told, Limiter::uncoalesced_loads, "The limiter is uncoalesced loads at k.cuh:20: ");
}

TEST(Limiter, BankConflicts) {
  Told told;
  told.shared(8388608, 524288, 16);
  expect(told, Limiter::bank_conflicts,
         "The limiter is 16-way bank conflicts at k.cuh:40: shared memory takes 8388608 "
         "wavefronts, 16 times the 524288 without conflicts.");
}

TEST(Limiter, NamesTheWorseFirstAndTheOtherAsWell) {
  Told told;
  told.simulation->kernels[0].sites[1].sectors *= 8;
  told.shared(2097152, 524288, 4);
  expect(told, Limiter::uncoalesced_stores, "There are also 4-way bank conflicts at k.cuh:40");
}

TEST(Limiter, FewConflictsAreNotNamed) {
  Told told;
  told.shared(600000, 524288, 2);
  expect(told, Limiter::bytes_in_flight, "too few bytes in flight");
}

TEST(Limiter, BytesInFlight) {
  Told told;
  EXPECT_EQ(loads_in_flight(told), 8192U);  // 2048 threads, one float each
  expect(told, Limiter::bytes_in_flight, "load at most 8 KiB at a time");
  told.measured(0.5);
  told.hardware->blocks_per_multiprocessor = 2;
  told.hardware->totals = told.simulation->totals();
  EXPECT_EQ(loads_in_flight(told), 4096U);
  expect(told, Limiter::bytes_in_flight, "s runs at 50.0 % of the roof");
}

TEST(Limiter, TheRoof) {
  Told told;
  told.deeper();
  expect(told, Limiter::roof, "as far as the simulator can see");
  told.measured(0.95);
  expect(told, Limiter::roof, "s runs at 95.0 % of the roof");
  // What is measured decides over what is expected.
  told.simulation->kernels[0].sites[1].sectors *= 8;
  EXPECT_EQ(limiter_of(told), Limiter::roof);
}

TEST(Limiter, ADeviceThatCopiesByItselfHasNoBytesInFlight) {
  Told told;
  told.simulation->kernels.clear();
  EXPECT_EQ(loads_in_flight(told), 0U);
  expect(told, Limiter::roof, "as far as the simulator can see");
}

TEST(Limiter, Instructions) {
  Told told;
  told.deeper();
  told.measured(0.5);
  told.hardware->instructions = 60'000'000;
  expect(told, Limiter::instructions, "the number of instructions: 60000000 by warps");
  told.hardware->roof_seconds /= 10;  // then the same instructions take a small part of the time
  EXPECT_EQ(limiter_of(told), Limiter::roof);
}

TEST(Limiter, AWrongKernelHasNone) {
  Told told;
  told.simulation->findings.push_back({FindingKind::race, {}, 0, 0, "they met", 1});
  expect(told, Limiter::wrong, "The kernel is wrong, so its speed means nothing: they met");
}

TEST(Limiter, NothingIsKnownWithoutASimulator) {
  Explanation told;
  told.no_simulation = "it uses bulk copies";
  expect(told, Limiter::unknown, "it uses bulk copies");
}

TEST(Agreement, IsSaid) {
  Told told;
  told.measured(0.5);
  EXPECT_NE(limiter_words(told).find("Simulator and counters agree on the sectors."),
            std::string::npos);
  EXPECT_EQ(limiter_words(told).find("wavefronts, where"), std::string::npos);
}

TEST(Agreement, ArbitrationIsExplained) {
  Told told;
  told.shared(524288, 524288, 1);
  told.measured(0.5);
  told.hardware->arbitrated_load_wavefronts = 613078;
  EXPECT_NE(limiter_words(told).find("repeated 16.9 % of the load wavefronts, where"),
            std::string::npos)
      << limiter_words(told);
  EXPECT_EQ(limiter_words(told).find("than the simulator"), std::string::npos);
  told.hardware->totals.load_wavefronts = 1048576;
  EXPECT_NE(limiter_words(told).find("have 100.0 % more load wavefronts than the simulator"),
            std::string::npos);
}

TEST(Agreement, OtherSectorsAreAnotherProgram) {
  Told told;
  told.measured(0.5);
  told.hardware->totals.load_sectors /= 2;
  EXPECT_NE(limiter_words(told).find("50.0 % fewer load sectors than the simulator"),
            std::string::npos);
}

TEST(Agreement, PartialWritesAreExplained) {
  Told told;
  told.measured(0.5);
  told.hardware->dram_write_bytes *= 2;
  EXPECT_NE(limiter_words(told).find("DRAM writes were 2 times the bytes needed"),
            std::string::npos)
      << limiter_words(told);
}

}  // namespace
}  // namespace xpose
