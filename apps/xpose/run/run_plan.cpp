#include "run/run_plan.hpp"

#include <algorithm>

#include "run/band_pipeline.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastTile = std::uint64_t{64} << 10;

// Larger tiles keep the disk waiting at the beginning, and one stage for the other at the end.
// Smaller ones take more reads, because each row of each tile is one.
constexpr std::uint64_t kTilesOfFile = 8;
constexpr std::uint64_t kSmallTile = 16 * kMiB;
constexpr std::uint64_t kLargeTile = 128 * kMiB;

// A call costs as much as moving that many bytes.
constexpr std::uint64_t kCachedPiece = 1024;
constexpr std::uint64_t kDiskPiece = 64 << 10;

constexpr std::uint64_t kMostDirty = 256 * kMiB;

}  // namespace

RunMemory divided_memory(std::uint64_t wanted, std::uint64_t free_host, std::uint64_t free_device) {
  const std::uint64_t memory = std::min(wanted, free_host / 2);
  const std::uint64_t tile = std::min(memory / 4 * 3 / (2 * kBandBuffers), free_device / 4);
  return {std::max(tile, kLeastTile), std::clamp(memory / 4, kMiB, kMostDirty)};
}

std::uint64_t record_bytes(const RunMemory& memory, bool in_order) {
  return in_order ? memory.dirty_bytes / 2 : memory.dirty_bytes * 2;
}

TileLimits tile_limits(const RunMemory& memory, std::uint64_t data_bytes, bool is_cached,
                       bool in_order) {
  const std::uint64_t most = memory.tile_bytes;
  if (!is_cached && data_bytes > most) return {most, most, kDiskPiece, in_order};
  const std::uint64_t enough = std::clamp(data_bytes / kTilesOfFile, kSmallTile, kLargeTile);
  return {most, std::min(enough, most), kCachedPiece, in_order};
}

}  // namespace xpose::app
