// How `xpose run` divides its memory.
#pragma once

#include <cstdint>
#include <optional>

#include "run/band_plan.hpp"

namespace xpose::app {

constexpr std::uint64_t kRunMemory = std::uint64_t{1} << 30;  // of a process, by default
constexpr std::uint64_t kLeastRunMemory = std::uint64_t{1} << 20;

// A quarter of the memory is left to the program itself.
struct RunMemory {
  std::uint64_t tile_bytes = 0;   // of one of two tiles of the output
  std::uint64_t strip_bytes = 0;  // by which their input is read; a device takes tiles whole
  std::uint64_t band_bytes = 0;   // of each buffer in two passes
  std::uint64_t dirty_bytes = 0;  // of the output that may wait for the disk
};

// wanted: bytes that the process may have resident. free_host: at most half of it is taken.
// free_device: of the device that transposes, where it is not the host; else 2^64 - 1.
RunMemory divided_memory(std::uint64_t wanted, std::uint64_t free_host, std::uint64_t free_device);

// The bytes of the output that are written from one record of a run that can be resumed to the
// next. in_order: whether they are written in the order of the file. Else tiles share pages, which
// a record sends to the disk too early.
std::uint64_t record_bytes(const RunMemory& memory, bool in_order);

// is_cached: whether the input lies in memory. From a disk whole pages are read, and many at once.
// in_order: the output is to be written in the order of its bytes.
TileLimits tile_limits(const RunMemory& memory, std::uint64_t data_bytes, bool is_cached,
                       bool in_order);

// Those of tiles that take turns; nothing for a device.
std::optional<TileLimits> limits_in_turn(const RunMemory& memory);

}  // namespace xpose::app
