#include "fixture.hpp"

#include <cmath>
#include <limits>

namespace xpose::app::fixture {
namespace {

constexpr std::uint64_t kExtent = 4096;                // rows and columns of the matrix
constexpr std::uint64_t kRequests = 4096 * 4096 / 32;  // of one access, a warp each

// One site whose lane l touches 4 bytes at begin + l * stride.
AccessSite site(MemorySpace space, AccessKind kind, int line, std::uint64_t begin,
                std::uint64_t stride) {
  AccessSite made;
  made.where = {"plugins/cuda_smem/smem.cuh", line};
  made.space = space;
  made.kind = kind;
  made.lane_bytes = 4;
  made.requests = kRequests;
  made.bytes = kRequests * 128;
  made.example.lanes = 0xffffffff;
  made.example.warp = 3;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    made.example.offset.at(lane) = begin + lane * stride;
  if (space == MemorySpace::global) {
    made.sectors = kRequests * (stride == 4 ? 4 : 32);
    made.ideal_sectors = kRequests * 4;
  } else {
    made.worst_conflict = stride == 128 ? 32 : 1;
    made.wavefronts = kRequests * made.worst_conflict;
    made.ideal_wavefronts = kRequests;
  }
  return made;
}

Trial trial(const std::string& strategy, Config config, bool copy, double seconds,
            std::size_t rounds, int seed) {
  Trial made;
  made.variant = {strategy, std::move(config)};
  made.launch = "16384 blocks of 32x16";
  if (copy) made.role = Role::copy;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double noise =
        0.012 * std::sin(static_cast<double>(seed * 7 + 5) * static_cast<double>(i + 1));
    made.rounds.push_back(i == 3 ? std::numeric_limits<double>::quiet_NaN()
                                 : seconds * (1 + noise));
  }
  made.timing = Timing{seconds, 0.011, static_cast<int>(rounds > 3 ? rounds - 1 : rounds)};
  return made;
}

Trial without_time(const std::string& strategy, Verdict verdict, const std::string& detail) {
  Trial made;
  made.variant.strategy = strategy;
  made.verdict = verdict;
  made.detail = detail;
  return made;
}

}  // namespace

AccessAccount tile_account(std::uint64_t pitch) {
  KernelAccount kernel;
  kernel.name = "smem<float>";
  kernel.grid = {128, 128, 1};
  kernel.block = {32, 16, 1};
  kernel.shared_bytes = 32 * pitch * 4;
  kernel.launches = 1;
  kernel.barriers = 128 * 128;
  const std::uint64_t row = kExtent * 4;
  kernel.sites = {site(MemorySpace::global, AccessKind::load, 21, 5 * row + 640, 4),
                  site(MemorySpace::shared, AccessKind::store, 22, 5 * pitch * 4, 4),
                  site(MemorySpace::shared, AccessKind::load, 27, 5 * 4, pitch * 4),
                  site(MemorySpace::global, AccessKind::store, 28, 165 * row + 256, 4)};
  AccessAccount account;
  account.kernels = {kernel};
  account.seconds = 0.041;
  return account;
}

AccessAccount naive_account() {
  KernelAccount kernel;
  kernel.name = "naive_row<float>";
  kernel.launches = 1;
  kernel.sites = {site(MemorySpace::global, AccessKind::load, 14, 640, 4),
                  site(MemorySpace::global, AccessKind::store, 14, 20, kExtent * 4)};
  AccessAccount account;
  account.kernels = {kernel};
  return account;
}

TuneReport tune(std::int64_t extent) {
  TuneReport report;
  report.problem = matrix(extent, extent, 4, Device{DeviceKind::cuda, 0});
  report.bytes = static_cast<std::uint64_t>(extent * extent) * 8;
  // Launching costs 3 us, and the L2 helps below 60 MB.
  const auto area = static_cast<double>(extent * extent) / (4096.0 * 4096.0);
  const auto time = [&](double us) { return 1e-6 * (3 + us * area); };
  report.trials = {
      trial("copy_device_memcpy", {}, true, time(34.3), 11, 1),
      trial("copy_wide", {}, true, time(35.3), 11, 2),
      trial("smem_pad", {{"block_x", 16}, {"block_y", 8}, {"tile_y", 32}, {"pad", 1}}, false,
            time(41.3), 11, 3),
      trial("smem_unroll2_pad", {{"block_x", 16}, {"block_y", 8}, {"tile_y", 16}, {"pad", 2}},
            false, time(43.9), 11, 4),
      trial("smem_pad", {{"block_x", 32}, {"block_y", 8}, {"tile_y", 32}, {"pad", 1}}, false,
            time(45.1), 9, 5),
      trial("smem", {{"block_x", 32}, {"block_y", 8}}, false, time(58), 6, 6),
      trial("<b>bold & \"idea\"</b>", {}, false, time(63), 5, 7),
      trial("naive_row", {{"block_x", 32}}, false, time(247), 1, 8),
      without_time("</script><script>alert(1)</script>", Verdict::wrong_result,
                   "element 7 of row 3 is <wrong>"),
      without_time("bulk_copy", Verdict::unsupported, "needs compute capability 10.0")};
  report.roof = 0;
  report.winner = 2;
  report.runner_up = 3;
  report.margin = report.trials[3].timing->median / report.trials[2].timing->median - 1;
  report.rounds = 10;
  report.discarded_rounds = 1;
  report.untried = 12;
  report.untried_strategies = {"naive_col"};
  report.seconds = 1.94;
  return report;
}

Explanation explanation(bool measured) {
  Explanation made;
  made.problem = matrix(4096, 4096, 4, Device{DeviceKind::cuda, 0});
  made.variant = {"smem", {{"block_x", 32}, {"block_y", 16}}};
  made.launch = "16384 blocks of 32x16, 4 KiB shared";
  made.simulation = tile_account(32);
  made.limiter =
      "The limiter is shared memory: the load at smem.cuh:27 reads a column of the tile, whose 32 "
      "words all lie in one bank, so each request takes 32 wavefronts where one would do. Global "
      "loads and stores are fully coalesced. Pad the rows of the tile by one word.";
  made.no_hardware = "no CUDA device; run on a machine with one";
  if (!measured) return made;
  HardwareAccount hardware;
  hardware.totals = {.load_sectors = 2097152,
                     .store_sectors = 2097152,
                     .load_requests = 524288,
                     .store_requests = 524288,
                     .load_wavefronts = 17040110,
                     .store_wavefronts = 547047};
  hardware.dram_read_bytes = 67121408;
  hardware.dram_write_bytes = 66871296;
  hardware.instructions = 9961472;
  hardware.registers = 18;
  hardware.shared_bytes = 4096;
  hardware.blocks_per_multiprocessor = 4;
  hardware.occupancy = 1;
  hardware.seconds = 90.8e-6;
  hardware.roof_seconds = 37.4e-6;
  made.hardware = hardware;
  made.no_hardware.clear();
  return made;
}

}  // namespace xpose::app::fixture
