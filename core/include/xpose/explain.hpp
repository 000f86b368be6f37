// The memory accesses of a CUDA strategy: predicted by a simulator that runs its kernels on the
// host, without a GPU, and measured by the counters of one.
//
// The rules of the simulator are those of the hardware since compute capability 7.0: a warp's
// global access moves the 32-byte sectors that it touches; shared memory has 32 banks of 4 bytes,
// and a warp's access takes a wavefront for each different word that its most wanted bank must
// give; lanes that want one word share it. Accesses of 8 bytes go in two half-warps, of 16 bytes in
// four quarter-warps (CUDA C++ Programming Guide, "Compute Capabilities").
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xpose/xpose.hpp>

namespace xpose {

// The memory of an access.
enum class MemorySpace { global, shared };
enum class AccessKind { load, store };  // the direction of an access

// A line of a plugin's source.
struct SourceLine {
  std::string file;  // as the compiler was given it; empty where the plugin has no line numbers
  int line = 0;      // from 1
  bool operator==(const SourceLine&) const = default;
};

// The accesses of one warp by one instruction, as a picture shows them.
struct WarpAccess {
  std::uint64_t block = 0;  // x + grid[0] * (y + grid[1] * z)
  std::uint32_t warp = 0;   // of the block
  std::uint32_t lanes = 0;  // bit set of the active lanes
  // Bytes of each active lane, from the start of the problem's buffer (global) or of the block's
  // shared memory.
  std::array<std::uint64_t, 32> offset = {};
};

// The accesses of one line of the source over a whole launch, all warps added up. Sites of one
// space, kind and width at a line are one.
struct AccessSite {
  SourceLine where;                         // the line of the access
  MemorySpace space = MemorySpace::global;  // the memory that it reaches
  AccessKind kind = AccessKind::load;       // its direction
  std::uint32_t lane_bytes = 0;             // of one lane's access: 1, 2, 4, 8 or 16
  std::uint64_t requests = 0;               // warp instructions
  std::uint64_t bytes = 0;                  // asked for by the active lanes
  std::uint64_t sectors = 0;                // global: sectors of 32 bytes moved
  std::uint64_t wavefronts = 0;             // shared: wavefronts taken
  std::uint64_t ideal_sectors = 0;     // the fewest that hold the distinct bytes of each request
  std::uint64_t ideal_wavefronts = 0;  // likewise
  std::uint32_t worst_conflict = 0;    // the largest ratio of wavefronts to ideal of one request
  WarpAccess example;                  // the first warp with the most active lanes
};

// Sums over sites. Sectors and requests are of global memory, wavefronts of shared memory.
struct AccessTotals {
  std::uint64_t load_sectors = 0, store_sectors = 0;
  std::uint64_t ideal_load_sectors = 0, ideal_store_sectors = 0;
  std::uint64_t load_requests = 0, store_requests = 0;
  std::uint64_t load_wavefronts = 0, store_wavefronts = 0;
  std::uint64_t ideal_load_wavefronts = 0, ideal_store_wavefronts = 0;
};

// A class of defects that the simulator finds.
enum class FindingKind {
  out_of_bounds,         // an access beside every region, or an index past a declared array
  divergent_barrier,     // threads of a block wait at different barriers, or have returned
  race,                  // threads of a block met in a byte of shared memory without a barrier
  uninitialised_shared,  // a load of shared memory that the block has not written
  wrong_output,          // the comparison of the whole buffers failed
};

// A defect of a kernel.
struct Finding {
  FindingKind kind = FindingKind::wrong_output;  // its class
  SourceLine where;                              // empty for wrong_output
  std::uint64_t block = 0;                       // numbered as in WarpAccess
  std::uint32_t thread = 0;                      // of the block, x first
  std::string text;                              // one line
  std::uint64_t times = 1;                // at this line; the other fields are of the first time
  std::optional<AccessKind> access = {};  // out_of_bounds: the access that went outside, if known
};

// The enumerator's name: "race", "out_of_bounds", ...
XPOSE_API std::string_view to_string(FindingKind kind);
// "smem.cuh:31: race, block 0, thread 33: wrote 4 bytes ..."
XPOSE_API std::string to_string(const Finding& finding);

// The launches of one kernel, added up.
struct KernelAccount {
  std::string name;                                // as its plugin launches it
  std::array<std::uint32_t, 3> grid = {1, 1, 1};   // blocks, of the first launch
  std::array<std::uint32_t, 3> block = {1, 1, 1};  // threads, of the first launch
  std::uint64_t shared_bytes = 0;                  // dynamic, of a block of the first launch
  std::uint64_t launches = 0;                      // of this kernel
  std::uint64_t barriers = 0;                      // passed, counted once for each block
  std::vector<AccessSite> sites;                   // in the order in which they were first met
};

// The simulator's account of one variant on one problem.
struct AccessAccount {
  std::vector<KernelAccount> kernels;  // one for each kernel
  std::vector<Finding> findings;       // in the order of FindingKind; empty: the kernel is right
  double seconds = 0;                  // that the simulator took

  // Sums over all sites of all kernels.
  XPOSE_API AccessTotals totals() const;
};

// The hardware's counters over one launch, and the launch's demand on a multiprocessor.
struct HardwareAccount {
  AccessTotals totals;  // the ideal fields are zero
  // The wavefronts of `totals` with those that arbitration repeats, where shared and global
  // accesses compete for the data stage. They vary from run to run.
  std::uint64_t arbitrated_load_wavefronts = 0, arbitrated_store_wavefronts = 0;
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  // moved between DRAM and L2
  std::uint64_t instructions = 0;                           // executed by warps
  std::uint32_t registers = 0;                              // of a thread
  std::uint64_t shared_bytes = 0;                           // of a block, static and dynamic
  std::uint32_t blocks_per_multiprocessor = 0;              // resident at once
  double occupancy = 0;     // active warps over the most that a multiprocessor holds
  double seconds = 0;       // of one launch, median, caches cold
  double roof_seconds = 0;  // of the fastest copy of the same bytes in the same run
};

// The means of an explanation.
struct ExplainOptions {
  bool measure = true;  // false: the device's counters are not asked
  // Told of the simulator's share done, 0 to 1, in the calling thread.
  std::function<void(double)> progress = {};
};

// The accesses of one variant on one problem, and the limiter of its speed.
struct Explanation {
  Problem problem;                          // in normal form
  Variant variant;                          // with a value for every axis
  std::string launch;                       // the launch in short
  std::optional<AccessAccount> simulation;  // empty: see no_simulation
  std::string no_simulation;                // why `simulation` is empty, one line
  std::optional<HardwareAccount> hardware;  // empty: see no_hardware
  std::string no_hardware;                  // why `hardware` is empty, and the remedy
  // Bytes that the resident threads of a multiprocessor load at once, if each has all its loads
  // under way. Without `hardware`, compute capability 9.0 says how many blocks are resident. 0
  // without a simulator.
  std::uint64_t bytes_in_flight = 0;
  std::string limiter;  // a paragraph: the limiter, its evidence, a remedy
};

// Explains a variant on a problem of a CUDA device. An axis without a value has the author's
// default. The device need not be present: a device of compute capability 9.0 with 132
// multiprocessors then stands in for it.
//
//   const auto told = explain(engine, xpose::matrix(4096, 4096, 4, {xpose::DeviceKind::cuda, 0}),
//                             {"smem", {{"tile_y", 32}}});
//   std::cout << told.limiter << '\n';
//
// The plugin's host code runs in this process. Its kernels run on the host, and with
// `options.measure` also on the device, in buffers of the library.
// Throws Error invalid for a problem that is empty or not on CUDA, a strategy that does not run on
// CUDA, or an axis or value that it does not have; no_strategy for a strategy that is unknown, in
// quarantine, or declines; no_memory; failed. [any thread]
XPOSE_API Explanation explain(Engine& engine, const Problem& problem, const Variant& variant,
                              const ExplainOptions& options = {});

}  // namespace xpose
