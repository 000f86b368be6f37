// Tiles on their way: while one is read and transposed, the one before is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace xpose::app {

// A part of a tile, which is read at once.
struct Strip {
  std::int64_t tile = 0;
  std::int64_t number = 0;
};

// Each stage has a thread of its own, `transpose` the caller's, and is called for every strip in
// turn, `write` for every tile. `in` is a strip and `out` a tile: buffers of those sizes.
struct BandStages {
  std::function<std::int64_t(std::int64_t tile)> strips;  // of a tile, 1 or more
  std::function<void(const Strip& strip, std::byte* in)> read;
  std::function<void(const Strip& strip, const std::byte* in, std::byte* out)> transpose;
  std::function<void(std::int64_t tile, const std::byte* out)> write;
};

constexpr std::int64_t kBandBuffers = 2;

struct BandBuffers {
  std::uint64_t in_bytes = 0;        // of each of kBandBuffers
  std::uint64_t out_bytes = 0;       // of each of:
  std::int64_t outs = kBandBuffers;  // 1: a tile is transposed when the one before has been written
};

// Returns when all tiles are written. The first error of a stage ends the others and is thrown.
// Throws Error no_memory where there is none for the buffers, and std::system_error where there is
// no thread to be had.
void run_bands(std::int64_t tiles, const BandBuffers& buffers, const BandStages& stages);

}  // namespace xpose::app
