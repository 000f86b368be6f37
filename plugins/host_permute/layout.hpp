// The tile of a problem for one wish, and the buffer for its runs: what a quote needs to know.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

#include "kernels.hpp"
#include "tiling.hpp"
#include "units.hpp"

namespace host_permute {

inline constexpr int64_t kLine = 64;         // bytes
inline constexpr int64_t kLongPiece = 1024;  // bytes of a kept run that need no buffer

// The bytes that a tile writes and reads side by side, as a config wishes them.
struct Runs {
  explicit Runs(const xpose::plugin::Config& config) : Runs(config["run"], config["in_run"]) {}
  Runs(int64_t of_out, int64_t of_in) : out(of_out), in(of_in) {}

  int64_t out, in;
};

// As a tiling is cut for a wish.
Cuts cuts_of(const xpose::plugin::Problem& problem, const Units& units, Runs runs);

struct Layout {
  Layout(const xpose::plugin::Problem& problem, Runs runs);

  int64_t tile_bytes() const;
  uint64_t workspace_bytes() const;  // of a thread

  Units units;
  int64_t unit;  // bytes
  Tiling tiling;
  bool has_whole_runs;  // that are kept, of whole lines, if the output is aligned to lines
  int64_t buffer_pitch, buffer_bytes;  // from one run to the next, and of a buffer
  int64_t block_cols;                  // columns that are gathered before their runs are written
  Asks asks;                           // of squares
  bool overlaps;                       // a second buffer is filled while the first is written
};

}  // namespace host_permute
