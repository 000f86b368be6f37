// The speed of a disk by the bytes that lie together in a file, and a run's seconds by it. Pure
// arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "output/json_reader.hpp"

namespace xpose::app {

struct RatePoint {
  std::uint64_t run_bytes = 0;  // that lie together
  double bytes_per_second = 0;
  bool operator==(const RatePoint&) const = default;
};

// Of both at once: the shares of their rates alone that are left, added up. 1: they take turns at
// one disk, or at a processor; 2: neither delays the other.
struct AtOnceRates {
  double in_short_runs = 1;  // of kShortRun
  double in_long_runs = 1;
  bool operator==(const AtOnceRates&) const = default;
};
constexpr std::uint64_t kShortRun = std::uint64_t{16} << 10;

// Each of an input and an output alone, with many runs under way. Points are in the order of their
// bytes, one at least on each side.
struct DiskCurves {
  std::vector<RatePoint> read = {}, write = {};
  AtOnceRates at_once = {};
  bool operator==(const DiskCurves&) const = default;
};

// A pass over a file in tiles, of which one is read while another is permuted and a third written.
struct PassWork {
  std::uint64_t bytes = 0;  // that are read, and written
  std::int64_t tiles = 1;
  std::uint64_t in_run_bytes = 1, out_run_bytes = 1;
  double permuting = 0;  // seconds in memory, of all tiles
  bool in_turn = false;  // a tile is read when the one before has been written
};

struct PassForecast {
  double reading = 0, writing = 0;  // seconds of each alone
  double seconds = 0;               // of the pass
};

// A run takes its own time and that of its bytes: between two points, time is straight over the
// number of runs. A shorter run takes as long as that of the first point.
double seconds_of(const std::vector<RatePoint>& curve, std::uint64_t run_bytes,
                  std::uint64_t bytes);

// The first tile is read, and the last is permuted and written, while nothing else is done. Tiles
// in turn are all like that.
PassForecast pass_forecast(const PassWork& work, const DiskCurves& curves);

// A copy of so many bytes in the longest runs.
double copy_seconds(std::uint64_t bytes, const DiskCurves& curves);

Json to_json(const DiskCurves& curves);
// Throws Error failed, naming the place, where they are no curves.
DiskCurves disk_curves_of(const JsonValue& value);

}  // namespace xpose::app
