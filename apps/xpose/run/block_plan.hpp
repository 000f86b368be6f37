// How a permutation of a file is cut into blocks that fit into memory, so that each byte is read
// and written once, in runs as long as can be. Pure arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/file_permutation.hpp"

namespace xpose::app {

// A part of the input: a range of each axis.
struct Block {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> extents;
};

class BlockPlan {
 public:
  // Blocks grow from the innermost axes of both sides, the side with the shorter runs first. Where
  // the output is to be in order, they grow from its innermost axis alone, if runs of the input
  // have a page then.
  BlockPlan(const FilePermutation& file, const TileLimits& limits);

  const FilePermutation& file() const { return file_; }
  std::int64_t size() const;
  Block block(std::int64_t index) const;  // in the order of writing
  const std::vector<std::int64_t>& most_extents() const { return most_; }  // of any block

  // Whether a block's output is one range of the file, behind that of the block before.
  bool writes_in_order() const;

  // Of the largest block: bytes that lie together in the input, and in the output.
  std::uint64_t in_run_bytes() const { return in_run_bytes(most_); }
  std::uint64_t out_run_bytes() const { return run_bytes(out_, most_); }

  // Of a part of the input with such extents.
  std::uint64_t in_run_bytes(const std::vector<std::int64_t>& extents) const {
    return run_bytes(in_, extents);
  }

  // Calls take() for the ranges of a block in the input's file, in their order, which lie one
  // behind the other in memory.
  void for_each_in_range(const Block& block,
                         const std::function<void(const ByteRange&)>& take) const;
  // Likewise those of its permutation in the output's file.
  void for_each_out_range(
      const Block& block,
      const std::function<void(const ByteRange&, const Neighbours&)>& take) const;

 private:
  using Axes = std::vector<std::size_t>;  // the outermost first

  void grow_all(const TileLimits& limits);
  bool grow(const Axes& side, std::uint64_t most_bytes);
  std::size_t cut_axis(const Axes& side, const std::vector<std::int64_t>& extents) const;
  std::uint64_t run_bytes(const Axes& side, const std::vector<std::int64_t>& extents) const;
  void for_each_run(const Axes& side, const Block& block,
                    const std::function<void(std::int64_t)>& take) const;
  std::int64_t blocks_of(std::size_t axis) const;
  std::int64_t index_at(std::int64_t out_element) const;

  FilePermutation file_;
  Axes in_;
  Axes out_;
  std::vector<std::int64_t> most_;
};

}  // namespace xpose::app
