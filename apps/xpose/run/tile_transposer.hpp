// Transposes tiles in host memory, on the host or on another device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/file_permutation.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

// The permutation of a tile, or of a strip of one, in memory.
struct TileWork {
  Problem problem;  // without a device
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
  bool is_copy = false;  // of out_bytes
  bool operator==(const TileWork&) const = default;
};

// rows x cols elements, rows `pitch` bytes apart, those of the transpose `out_ld` elements.
TileWork matrix_work(std::int64_t rows, std::int64_t cols, std::uint32_t item_bytes,
                     std::uint64_t pitch, std::int64_t out_ld);

// Throws Error where the library serves no such permutation.
TileWork permutation_work(const DenseArray& folded);
// The same of a dense array whose output axes have strides.
TileWork permutation_work(const DenseArray& array, const std::vector<std::int64_t>& out_strides);

class TileTransposer {
 public:
  struct Options {
    Device device = {};
    EngineOptions engine = {};
    PlanOptions plan = {};
    bool names_refused = false;  // warn of plugins that are refused, which takes asking all of them
  };

  // most: the largest tile or strip, for which `options` choose. Where nothing was measured for it,
  // or for a tile at an edge, the variant that was measured for the largest tile or for the whole
  // array is used if it serves the tile; else an estimate. Throws Error where a variant of
  // `options` is not offered, or none serves the largest tile, or the device has no memory for the
  // tile.
  TileTransposer(const Options& options, const TileWork& most, const TileWork& whole);

  // Returns when the permutation is in `out`. Throws Error.
  void transpose(const TileWork& work, const std::byte* in, std::byte* out);

  const std::string& chosen() const { return chosen_; }  // for the largest tile

 private:
  Problem problem_of(const TileWork& work) const;
  void recall(const TileWork& whole);
  std::optional<Plan> plan_as_measured(const Problem& tile);
  Plan plan(const TileWork& work, const void* in, const void* out);

  Options options_;
  TileWork most_;
  std::optional<Engine> engine_;    // none for a plain copy
  std::optional<DeviceMemory> in_;  // of a device other than the host
  std::optional<DeviceMemory> out_;
  std::optional<Variant> measured_;  // for a larger shape
  std::string chosen_ = "a plain copy";
};

}  // namespace xpose::app
