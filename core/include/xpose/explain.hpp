// What a CUDA strategy does with memory: predicted by running its kernels on the host, without a
// GPU, and measured by the counters of one.
//
// The rules of the model are those of the hardware since compute capability 7.0: a warp's global
// access moves the 32-byte sectors that it touches; shared memory has 32 banks of 4 bytes, and a
// warp's access takes a wavefront for each different word that its most wanted bank must give;
// lanes that want one word share it. Accesses of 8 bytes go in two half-warps, of 16 bytes in four
// quarter-warps (CUDA C++ Programming Guide, "Compute Capabilities").
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

enum class MemorySpace { global, shared };
enum class AccessKind { load, store };

struct SourceLine {
  std::string file;  // as the compiler was given it; empty where the plugin has no line numbers
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

// The accesses of one warp by one instruction, as a picture shows them.
struct WarpAccess {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;                    // bit set of the active ones
  std::array<std::uint64_t, 32> offset = {};  // bytes, from the start of the buffer or of the tile
};

// What one memory instruction of the source did over a whole launch, all warps added up.
struct AccessSite {
  SourceLine where;
  MemorySpace space = MemorySpace::global;
  AccessKind kind = AccessKind::load;
  std::uint32_t lane_bytes = 0;
  std::uint64_t requests = 0;  // warp instructions
  std::uint64_t bytes = 0;     // asked for by the active lanes
  // Global: 32-byte sectors moved. Shared: wavefronts.
  std::uint64_t sectors = 0;
  std::uint64_t wavefronts = 0;
  // The fewest that could have served each request's lanes.
  std::uint64_t ideal_sectors = 0;
  std::uint64_t ideal_wavefronts = 0;
  std::uint32_t worst_conflict = 0;  // the most wavefronts over the ideal of a request, as a factor
  WarpAccess example;                // the first warp with the most active lanes
};

// Sums over sites.
struct AccessTotals {
  std::uint64_t load_sectors = 0, store_sectors = 0;
  std::uint64_t ideal_load_sectors = 0, ideal_store_sectors = 0;
  std::uint64_t load_requests = 0, store_requests = 0;  // global
  std::uint64_t load_wavefronts = 0, store_wavefronts = 0;
  std::uint64_t ideal_load_wavefronts = 0, ideal_store_wavefronts = 0;
};

enum class FindingKind {
  out_of_bounds,
  divergent_barrier,
  race,                  // threads of a block met in a byte of shared memory without a barrier
  uninitialised_shared,  // a load of shared memory that the block has not written
  wrong_output,
};

// Something wrong with a kernel.
struct Finding {
  FindingKind kind = FindingKind::wrong_output;
  SourceLine where;
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::string text;                       // one line
  std::uint64_t times = 1;                // how often at this line; the rest is of the first time
  std::optional<AccessKind> access = {};  // of out_of_bounds: what went outside, where it is known
};

XPOSE_API std::string_view to_string(FindingKind kind);  // "race", "out_of_bounds", ...
// "smem.cuh:31: race, block 0, thread 33: wrote 4 bytes ..."
XPOSE_API std::string to_string(const Finding& finding);

// All launches of one kernel.
struct KernelAccount {
  std::string name;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};   // of the first launch
  std::array<std::uint32_t, 3> block = {1, 1, 1};  // threads
  std::uint64_t shared_bytes = 0;                  // dynamic
  std::uint64_t launches = 0;
  std::uint64_t barriers = 0;     // passed, counted once for each block
  std::vector<AccessSite> sites;  // in the order first met
};

// What the model saw of one variant on one problem.
struct AccessAccount {
  std::vector<KernelAccount> kernels;
  std::vector<Finding> findings;  // empty: the kernel is right
  double seconds = 0;             // that the model took

  XPOSE_API AccessTotals totals() const;
};

// The hardware's counters over one launch, and what the launch took of a multiprocessor.
struct HardwareAccount {
  AccessTotals totals;  // the ideal fields are zero
  // The wavefronts of totals with those that arbitration repeats, where shared and global accesses
  // compete for the data stage; they vary from run to run.
  std::uint64_t arbitrated_load_wavefronts = 0, arbitrated_store_wavefronts = 0;
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  std::uint64_t instructions = 0;  // executed by warps
  std::uint32_t registers = 0;     // of a thread
  std::uint64_t shared_bytes = 0;  // of a block, static and dynamic
  std::uint32_t blocks_per_multiprocessor = 0;
  double occupancy = 0;     // active warps over the most a multiprocessor holds
  double seconds = 0;       // of one launch, median, caches cold
  double roof_seconds = 0;  // the fastest copy of the same bytes in the same run
};

struct ExplainOptions {
  Config config = {};   // values on axes of these names; the rest: the author's defaults
  bool measure = true;  // use the device's counters where there is one
  std::function<void(double)> progress = {};  // 0 to 1
};

// Why a strategy is as fast as it is.
struct Explanation {
  Problem problem;  // in normal form
  Variant variant;
  std::string launch;
  std::optional<AccessAccount> model;
  std::string no_model;  // why model is empty
  std::optional<HardwareAccount> hardware;
  std::string no_hardware;  // why hardware is empty, and what to do
  // Loads that the resident threads of a multiprocessor have under way if each has all of its own;
  // without hardware, of as many blocks as compute capability 9.0 holds. 0 without a model.
  std::uint64_t bytes_in_flight = 0;
  std::string limiter;  // a paragraph in plain words
};

// Explains one strategy on one problem of a CUDA device, which need not be present: then the
// problem's device is taken as one of compute capability 9.0 with 132 multiprocessors.
// Throws Error no_strategy for a strategy that is unknown or declines, invalid for one that does
// not run on CUDA or a config that it does not have.
XPOSE_API Explanation explain(Engine& engine, const Problem& problem, const std::string& strategy,
                              const ExplainOptions& options = {});

}  // namespace xpose
