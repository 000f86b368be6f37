#include "strategy/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "xpose/plugin.h"

namespace xpose {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kLineBytes = 64;
// The cost of a run besides its sectors. NOTES.md of the core has the evidence for each constant.
constexpr double kRunBytes = 12;
// Pieces of a row that lies in a sector join there: each after the first costs so much of the row.
constexpr double kPieceOfSector = 0.5;
// Bytes that a store writes beyond its run cost so much where the matrices do not stay in the
// cache, since sectors that are written in part are read first.
constexpr double kPartlyWritten = 1.5;
// Input and output beyond this part of a cache do not stay in it.
constexpr double kShareOfCache = 0.6;
// A block alone on its multiprocessor keeps the memory busy for a part of the time that grows with
// the bytes it reads.
constexpr double kBusyAtMost = 0.75;
constexpr double kBusyBytes = 9 * 1024;
// A launch ends with its last block, which is the later the more a thread moves: with so many
// threads in all it takes the time of another copy.
constexpr double kManyThreads = 16 << 10;
// The bytes that memory moves while the threads of blocks that have shared memory wait for each
// other.
constexpr double kBarrierBytes = 2 << 20;
// A launch on the host that moves less is over before another thread is awake, so that a loop over
// such launches has one thread. A second one about doubles what memory delivers.
constexpr double kOneThreadBytes = 512 << 10, kTwoThreads = 2;
// The bytes that memory moves while one launch begins; on the host, one of several.
constexpr double kLaunchBytesOfCuda = 6 << 20, kLaunchBytesOfHost = 64 << 10;
// Lines that are fetched before a part of them is written cost so much, over those that are written
// alone.
constexpr double kFetchedAndWritten = 2.4;
// Where each of so many threads of the host moves no more than so many bytes, the lines stay in its
// own cache meanwhile.
constexpr double kManyThreadsOfHost = 8, kKeptBytes = 256 << 10;
constexpr double kFetchedAndKept = 1.6;
// A run on the host begins with a line that no prefetch foresees: it costs as many bytes more.
// Where stores bypass the caches each run is a place of memory that is opened for itself.
constexpr double kRunBytesOfHost = 16, kUncachedRunBytes = 80;
// The lines that a run shares with others are fetched and written in part where stores bypass the
// caches: that costs as many bytes more.
constexpr double kSharedLinesBytes = 128;

// Matrices that lie in each other's gaps in the output, less than a line apart, share its lines. A
// strategy that is launched for each of them fetches and writes every line each time.
constexpr double kSharedByLaunches = 1.2;

// A strategy's own work hides behind the memory, where that takes longer than so many copies.
constexpr double kHiddenWork = 2.2;

// Bytes that move for a run which begins at any multiple of `alignment`, in units of `unit`.
double moved(double run, double alignment, double unit) {
  const double step = std::min(alignment, unit);
  return std::ceil(run / step) * step + unit - step;
}

struct Multiprocessor {
  double threads, blocks, shared_bytes;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
Multiprocessor multiprocessor(std::uint32_t compute_capability) {
  switch (compute_capability) {
    case 80:
      return {2048, 32, 164 * 1024};
    case 86:
      return {1536, 16, 100 * 1024};
    case 89:
    case 120:
    case 121:
      return {1536, 24, 100 * 1024};
    default:
      return {2048, 32, 228 * 1024};
  }
}

// Blocks that a multiprocessor runs at once, by what the quote says; registers are not known.
double resident(const Demand& demand, std::uint32_t compute_capability) {
  const Multiprocessor has = multiprocessor(compute_capability);
  constexpr double kReserved = 1024;  // bytes of shared memory a block, by the driver
  const double by_threads = has.threads / std::max(demand.threads, 32U);
  const double by_shared = has.shared_bytes / (demand.shared_bytes + kReserved);
  return std::max(std::floor(std::min({by_threads, by_shared, has.blocks})), 1.0);
}

// The time until the last block ends, without that of a copy, which goes on meanwhile.
double waiting(const Demand& demand, double bytes) {
  const double barrier = demand.shared_bytes > 0 ? kBarrierBytes : 0;
  return kManyThreads / (static_cast<double>(demand.blocks) * demand.threads) + barrier / bytes;
}

// `slower`: of the time that moving takes.
double cuda_time(const Demand& demand, const Problem& problem, const DeviceInfo& device,
                 double slower) {
  const auto bytes = static_cast<double>(element_count(problem)) * problem.element_bytes;
  const auto blocks = static_cast<double>(demand.blocks);
  const bool stays = 2 * bytes <= kShareOfCache * static_cast<double>(device.cache_bytes);
  const double partly_written = stays ? 1 : kPartlyWritten;
  const auto traffic = [&](std::uint64_t run, std::uint32_t alignment, std::int64_t row,
                           std::int64_t leading, double beyond) {
    const auto length = static_cast<double>(run);
    const double row_bytes = static_cast<double>(row) * problem.element_bytes;
    const double gap = static_cast<double>(leading - row) * problem.element_bytes;
    // Rows with short gaps share their sectors with the next ones, which move with them.
    const bool shares =
        gap > 0 && (length == row_bytes ? gap < kSectorBytes
                                        : length < row_bytes && row_bytes + gap <= kSectorBytes);
    if (shares)
      return (row_bytes + gap) / row_bytes * (1 + kPieceOfSector * (row_bytes / length - 1));
    const double others = moved(length, alignment, kSectorBytes) - length;
    return 1 + (others * beyond + kRunBytes) / length;
  };
  const double alone = kBusyAtMost * -std::expm1(-bytes / blocks / kBusyBytes);
  // Blocks keep the memory busy independently of each other.
  const auto busy = [&](double together) { return 1 - std::pow(1 - alone, together); };
  const auto multiprocessors = static_cast<double>(std::max(device.multiprocessors, 1U));
  const double at_once = resident(demand, device.compute_capability);
  const double wave = multiprocessors * at_once;
  const double last =
      std::fmod(blocks, wave);  // the blocks of the last wave have fewer beside them
  double waves = (blocks - last) / busy(at_once);
  if (last > 0) waves += last / busy(last / multiprocessors);
  const Alignment rows = row_alignment(problem);
  const double moving =
      (traffic(demand.load_run, rows.in, problem.cols, problem.in_ld, 1) +
       traffic(demand.store_run, rows.out, problem.rows, problem.out_ld, partly_written)) /
      2 * slower;
  // Memory that is not busy has the time for what moves beyond the elements.
  return waves / blocks + moving - 1 + waiting(demand, 2 * bytes);
}

double host_time(const Demand& demand, const Problem& problem, const DeviceInfo& device,
                 bool warm) {
  const auto bytes = 2 * static_cast<double>(element_count(problem)) * problem.element_bytes;
  const bool cached = warm && bytes <= kShareOfCache * static_cast<double>(device.cache_bytes);
  const bool uncached_stores = (demand.traits & XPOSE_QUOTE_UNCACHED_STORES) != 0;
  const auto traffic = [](std::uint64_t run, std::uint32_t alignment, double begin) {
    const auto length = static_cast<double>(run);
    return (moved(length, alignment, kLineBytes) + begin) / length;
  };
  // A line is fetched before a part of it is written, unless it is here, or was just read: in
  // place.
  const bool fetched_and_written = !cached && !uncached_stores && !problem.in_place;
  const bool sent_away = cached && uncached_stores;
  const double threads = bytes > kOneThreadBytes ? device.multiprocessors : 1;
  const bool kept =
      fetched_and_written && threads >= kManyThreadsOfHost && bytes <= threads * kKeptBytes;
  const double twice = kept ? kFetchedAndKept : kFetchedAndWritten;
  const Alignment rows = row_alignment(problem);
  const double shared = uncached_stores && rows.out < kLineBytes
                            ? kSharedLinesBytes / static_cast<double>(demand.store_run)
                            : 0;
  const double begin = uncached_stores ? kUncachedRunBytes : kRunBytesOfHost;
  return (traffic(demand.load_run, rows.in, kRunBytesOfHost) + shared +
          traffic(demand.store_run, rows.out, begin) *
              (fetched_and_written || sent_away ? twice : 1)) /
         2;
}

}  // namespace

double predicted_time(const Demand& demand, const Problem& problem, const DeviceInfo& device,
                      bool warm, std::int64_t launches) {
  if (demand.load_run == 0 || demand.store_run == 0) return kNotPredicted;
  const double bytes = 2.0 * static_cast<double>(element_count(problem)) * problem.element_bytes;
  const double slower = 1 + demand.slower_percent / 100.0;
  if (problem.device.kind != DeviceKind::host) {
    if (demand.blocks == 0 || demand.threads == 0) return kNotPredicted;
    const double beginning = kLaunchBytesOfCuda / bytes;
    return (cuda_time(demand, problem, device, slower) + beginning) /
           (1 + beginning / static_cast<double>(launches));  // a copy begins once
  }
  const bool has_one_thread = launches > 1 && bytes <= kOneThreadBytes &&
                              bytes * static_cast<double>(launches) > kOneThreadBytes;
  const double moving = host_time(demand, problem, device, warm);
  const double working = (slower - 1) * std::min(moving, kHiddenWork);
  return (moving + working) * (has_one_thread ? kTwoThreads : 1) +
         (launches == 1 ? 0 : kLaunchBytesOfHost / bytes);
}

double shared_lines_time(const Problem& problem, std::size_t batch_rank) {
  if (problem.device.kind != DeviceKind::host) return 0;
  for (std::size_t i = batch_rank; i < problem.batch.size(); ++i)
    if (static_cast<double>(problem.batch[i].out_stride) * problem.element_bytes < kLineBytes)
      return kSharedByLaunches;
  return 0;
}

}  // namespace xpose
