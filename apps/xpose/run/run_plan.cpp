#include "run/run_plan.hpp"

#include <algorithm>
#include <limits>

#include "run/band_pipeline.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastTile = std::uint64_t{64} << 10;

// Larger tiles keep the disk waiting at the beginning, and one stage for the other at the end.
// Smaller ones take more reads, because each row of each tile is one.
constexpr std::uint64_t kTilesOfFile = 8;
constexpr std::uint64_t kManyTiles = 20;  // of a file for which memory is scarce, or plenty
constexpr std::uint64_t kLongRunsTile = 1024 * kMiB;  // runs of it are long enough for any disk
constexpr std::uint64_t kSmallTile = 16 * kMiB;
constexpr std::uint64_t kLargeTile = 128 * kMiB;

// A call costs as much as moving that many bytes.
constexpr std::uint64_t kCachedPiece = 1024;
constexpr std::uint64_t kDiskPiece = 64 << 10;

constexpr std::uint64_t kMostStrip = 32 * kMiB;
constexpr std::uint64_t kWholeTile = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostDirty = 256 * kMiB;

}  // namespace

RunMemory divided_memory(std::uint64_t wanted, std::uint64_t free_host, std::uint64_t free_device) {
  const std::uint64_t memory = std::min(wanted, free_host / 2);
  const std::uint64_t buffers = memory / 4 * 3;
  const std::uint64_t dirty = std::clamp(memory / 4, kMiB, kMostDirty);
  const std::uint64_t band = std::max(buffers / (2 * kBandBuffers), kLeastTile);
  if (free_device != std::numeric_limits<std::uint64_t>::max()) {
    const std::uint64_t tile = std::min(band, std::max(free_device / 4, kLeastTile));
    return {tile, kWholeTile, tile, dirty};
  }
  const std::uint64_t strip = std::clamp(buffers / 10, kLeastTile / 4, kMostStrip);
  return {std::max(buffers / kBandBuffers - strip, kLeastTile), strip, band, dirty};
}

std::uint64_t record_bytes(const RunMemory& memory, bool in_order) {
  return in_order ? memory.dirty_bytes / 2 : memory.dirty_bytes * 2;
}

TileLimits tile_limits(const RunMemory& memory, std::uint64_t data_bytes, bool is_cached,
                       bool in_order) {
  const std::uint64_t band = memory.band_bytes;
  if (!is_cached && data_bytes > std::min(band, kLongRunsTile)) {
    const std::uint64_t many = data_bytes / kManyTiles;
    const std::uint64_t most =
        std::min({memory.tile_bytes, std::max(data_bytes / 2, std::min(band, kLongRunsTile)),
                  many >= band ? many : std::max(many, kLongRunsTile)});
    return {most, most, kDiskPiece, in_order, band};
  }
  const std::uint64_t most = memory.tile_bytes;
  const std::uint64_t enough = std::clamp(data_bytes / kTilesOfFile, kSmallTile, kLargeTile);
  return {most, std::min(enough, most), kCachedPiece, in_order, band};
}

std::optional<TileLimits> limits_in_turn(const RunMemory& memory) {
  if (memory.strip_bytes == kWholeTile) return std::nullopt;
  const std::uint64_t most = kBandBuffers * memory.tile_bytes;
  return TileLimits{most, most, kDiskPiece, false, memory.band_bytes, true};
}

}  // namespace xpose::app
