// The kernels, for each instruction set with vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "picks.hpp"
#include "tiling.hpp"

namespace host_permute {

// A run that stays together is a unit up to this size.
constexpr int64_t kMostUnitBytes = 64;

// Lines that squares ask for as they go: those of rows, again, shortly before their squares; or
// those of the next rows, each in the place in the cache of one that has been read.
enum class Asks { nothing, lines_again, next_rows };

// Blocks of rows x cols units, one at every piece: columns lie side by side in the input and rows
// in the output; each has a place of its own on the other side. All places in bytes.
struct Blocks {
  const uint8_t* in;
  uint8_t* out;
  const int64_t* row_in;
  const int64_t* col_out;
  int64_t rows, cols;
  const Piece* pieces;
  int64_t count;
  Asks asks = Asks::nothing;
  const uint8_t* next_in = nullptr;  // of the block behind, where squares ask for its rows
};

// Lines of the input to be asked for: their places, in bytes from a base, the first that is left,
// and their end.
struct Lines {
  const uint8_t* base;
  const int64_t* next;
  const int64_t* end;
  int each;   // for each line of the output
  int level;  // of the caches, 1 or 2
};

// Whole lines, and where they go, which is aligned to lines.
struct Run {
  const uint8_t* from;
  uint8_t* to;
  int64_t bytes;  // at least one line
};

// The kernels as compiled for one instruction set.
struct Kernels {
  const char* target;  // its name, e.g. "AVX3"
  // Transposes blocks of units of 1 to kMostUnitBytes bytes.
  void (*transpose)(const Blocks& blocks, int64_t unit);
  // Likewise, and meanwhile writes runs of whole lines as `stream` does.
  void (*transpose_beside)(const Blocks& blocks, int64_t unit, const std::vector<Run>& runs,
                           Lines& ahead);
  // Does what the picks say at every piece; their vectors are narrow or of this width.
  void (*pick)(const Blocks& blocks, const Picks& picks);
  int64_t pick_width;
  // Copies so many bytes at every piece.
  void (*copy)(const Blocks& blocks, int64_t bytes);
  // Whole lines of the output by non-temporal stores; after each, lines are asked for.
  void (*stream)(const uint8_t* from, uint8_t* to, int64_t bytes, Lines& ahead);
  // Likewise so many bytes, at least a line, at every piece. Pieces that follow each other in the
  // output complete the line that they share.
  void (*stream_pieces)(const Blocks& blocks, int64_t bytes, Lines& ahead);
  void (*finish)();  // orders them with the thread's later stores
};

// Those that this processor can run, the widest vectors first. [any thread]
const std::vector<Kernels>& kernels();

}  // namespace host_permute
