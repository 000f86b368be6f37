// How a permutation of a file is done in two passes through a scratch file, where the tiles of one
// pass would have runs that are too short for a disk. Pure arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/block_plan.hpp"
#include "run/file_permutation.hpp"

namespace xpose::app {

// An array cut into blocks that are ranges of its bytes: all of the inner axes, a part of one, one
// place of each outer one. In the order of the bytes.
class RangeBlocks {
 public:
  // most: elements of a block, 1 or more.
  RangeBlocks(std::vector<std::int64_t> extents, std::int64_t most);

  std::int64_t size() const;
  Block block(std::int64_t index) const;  // none is larger than the first
  std::int64_t step(std::size_t axis) const;

 private:
  std::vector<std::int64_t> extents_;
  std::size_t cut_ = 0;  // the axis of which a block has a part
  std::int64_t step_ = 1;
};

// The first pass permutes bands, each a range of the input, and puts each where it came from, in a
// scratch file that has no header. The elements of a band are then in the order of the output:
// those that it shares with a range of the output are one range as well. The second pass gathers
// these. (Two-pass transposition out of core, as of Kaushik, Huang, Johnson, Johnson and
// Sadayappan.)
class TwoPassPlan {
 public:
  // most_bytes: of a band, and of a range of the output. file: of two axes or more.
  TwoPassPlan(const FilePermutation& file, std::uint64_t most_bytes);

  const FilePermutation& file() const { return file_; }

  std::int64_t bands() const { return bands_.size(); }
  Block band(std::int64_t index) const { return bands_.block(index); }
  ByteRange band_bytes(std::int64_t index) const;  // of the elements of the input

  std::int64_t ranges() const { return ranges_.size(); }
  Block range(std::int64_t index) const;            // of the input's axes
  ByteRange range_bytes(std::int64_t index) const;  // of the elements of the output

  // Calls take() for each part of a range of the output that a band has, with its bytes in the
  // scratch file, in their order.
  void for_each_piece(std::int64_t range,
                      const std::function<void(const ByteRange&, const Block&)>& take) const;

  // Of a piece, on the average.
  std::uint64_t piece_bytes() const;

 private:
  ByteRange piece_at(const Block& band, const Block& part) const;

  FilePermutation file_;
  RangeBlocks bands_;
  RangeBlocks ranges_;  // of the output's axes
};

}  // namespace xpose::app
