// Whether a file is moved in one pass or in two. Pure arithmetic.
#pragma once

#include <cstdint>

#include "run/file_move.hpp"

namespace xpose::app {

enum class Passes { automatic, one, two };

// Where the input lies.
struct InputPlace {
  // A run costs a disk as much as its bytes and so many more; a disk with moving heads has a
  // hundred times as many as a solid-state disk that is asked for many runs at once.
  std::uint64_t run_bytes = 0;
  bool is_cached = false;  // in memory
};

// Solid-state disks. Output runs of an input in memory are held up by calls more than by the disk.
inline constexpr InputPlace kOnDisk = {std::uint64_t{4} << 10, false};
inline constexpr InputPlace kInMemory = {std::uint64_t{8} << 10, true};

// Bytes that a disk could move in the time of a pass, over those of the file. Bytes that lie in
// memory cost an eighth, and a run a call.
double one_pass_cost(const RunLengths& runs, const InputPlace& place);

// piece_bytes: that the second pass reads at once from the scratch file; all else is in order.
double two_pass_cost(std::uint64_t piece_bytes, const InputPlace& input, const InputPlace& scratch);

// Tiles of which one is read while another is written, or that take turns.
struct TilesCost {
  RunLengths runs;
  std::int64_t tiles = 1;
};

// Whether larger tiles, which take turns, are faster than those at once, whose runs are shorter: a
// disk that is shared, or counts requests, does little more when it reads and writes at once, and
// few tiles overlap little. An input on a disk.
bool are_faster_in_turn(const TilesCost& in_turn, const TilesCost& at_once);

// Two passes take room on the disk, and wear it: they must be faster by a quarter.
bool are_two_faster(double one_pass, double two_passes);

}  // namespace xpose::app
