// Transposes tiles in host memory, on the host or on another device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose::app {

// A tile in memory: rows x cols elements, rows `pitch` bytes apart; its transpose is dense.
struct TileShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::uint64_t pitch = 0;  // bytes
  std::uint32_t item_bytes = 0;
  bool operator==(const TileShape&) const = default;
  std::uint64_t in_bytes() const { return static_cast<std::uint64_t>(rows) * pitch; }
  std::uint64_t out_bytes() const {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * item_bytes;
  }
};

class TileTransposer {
 public:
  struct Options {
    Device device = {};
    EngineOptions engine = {};
    PlanOptions plan = {};
    bool names_refused = false;  // warn of plugins that are refused, which takes asking all of them
  };

  // most: the shape of the largest tile, for which `options` choose. Where nothing was
  // measured for that shape, or for that of a tile at an edge, the variant that was measured for
  // the largest tile or for the whole matrix is used if it serves the tile; else an estimate.
  // Throws Error where a variant of `options` is not offered, or none serves the largest tile, or
  // the device has no memory for the tile.
  TileTransposer(const Options& options, const TileShape& most, const TileShape& whole);

  // Returns when the transpose is in `out`. Throws Error.
  void transpose(const TileShape& shape, const std::byte* in, std::byte* out);

  const std::string& chosen() const { return chosen_; }  // for the largest tile

 private:
  Problem problem_of(const TileShape& shape) const;
  void recall(const TileShape& whole);
  std::optional<Plan> plan_as_measured(const Problem& tile);
  Plan plan(const TileShape& shape, const void* in, const void* out);

  Options options_;
  TileShape most_;
  std::optional<Engine> engine_;    // none for a plain copy
  std::optional<DeviceMemory> in_;  // of a device other than the host
  std::optional<DeviceMemory> out_;
  std::optional<Variant> measured_;  // for a larger shape
  std::string chosen_ = "a plain copy";
};

}  // namespace xpose::app
