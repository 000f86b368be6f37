// Tiles on their way: while one is transposed, the next is read and the last written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace xpose::app {

// Each stage has a thread of its own, `transpose` the caller's, and is called for every tile in
// turn. `in` and `out` are buffers of the sizes that run_bands() is given.
struct BandStages {
  std::function<void(std::int64_t tile, std::byte* in)> read;
  std::function<void(std::int64_t tile, const std::byte* in, std::byte* out)> transpose;
  std::function<void(std::int64_t tile, const std::byte* out)> write;
};

// The buffers of a side that run_bands() makes.
constexpr std::uint64_t kBandBuffers = 2;

// Returns when all tiles are written. The first error of a stage ends the others and is thrown.
// Throws Error no_memory where there is none for the buffers, and std::system_error where there is
// no thread to be had.
void run_bands(std::int64_t tiles, std::uint64_t in_bytes, std::uint64_t out_bytes,
               const BandStages& stages);

}  // namespace xpose::app
