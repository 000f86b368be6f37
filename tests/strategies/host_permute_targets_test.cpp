// The kernels of host_permute, as compiled for each instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "host_permute/kernels.hpp"

namespace {

using host_permute::Asks;
using host_permute::Blocks;
using host_permute::Kernels;
using host_permute::Picks;
using host_permute::Piece;
using host_permute::Places;

constexpr int64_t kPieces = 2;

constexpr int64_t kGap = 3;

// So many places of so many bytes, those of a group one behind the other, the groups in any order
// with gaps between them.
std::vector<int64_t> places(int64_t count, int64_t bytes, int64_t group, std::mt19937& random) {
  std::vector<int64_t> groups;
  for (int64_t i = 0; i < (count + group - 1) / group; ++i)
    groups.push_back(i * (group * bytes + kGap));
  std::shuffle(groups.begin(), groups.end(), random);
  std::vector<int64_t> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(groups[static_cast<size_t>(i / group)] + i % group * bytes);
  return all;
}

// A block at two pieces, whose places are shuffled, and its transpose. Vectors end with what is
// read and written, so that a sanitizer sees all beyond.
struct Block {
  int64_t unit, rows, cols;
  std::vector<int64_t> row_in, col_out;
  std::vector<uint8_t> in, out, expected;
  std::vector<Piece> pieces;

  Block(int64_t unit_, int64_t rows_, int64_t cols_, int64_t rows_together = 1,
        int64_t cols_together = 1)
      : unit(unit_), rows(rows_), cols(cols_) {
    std::mt19937 random(static_cast<unsigned>(unit * 1000 + rows * 100 + cols));
    row_in = places(rows, cols * unit, rows_together, random);
    col_out = places(cols, rows * unit, cols_together, random);
    const int64_t in_bytes = std::ranges::max(row_in) + cols * unit,
                  out_bytes = std::ranges::max(col_out) + rows * unit;
    pieces = {{in_bytes, 0}, {0, out_bytes}};
    in.resize(static_cast<size_t>(kPieces * in_bytes));
    for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
    out.resize(static_cast<size_t>(kPieces * out_bytes), 0xc3);
    expected.assign(out.begin(), out.end());
    for (const Piece& piece : pieces)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          std::memcpy(
              &expected[static_cast<size_t>(piece.out + col_out[static_cast<size_t>(c)] +
                                            r * unit)],
              &in[static_cast<size_t>(piece.in + row_in[static_cast<size_t>(r)] + c * unit)],
              static_cast<size_t>(unit));
  }

  Places places_of_it() const { return {row_in.data(), col_out.data(), rows, cols, unit}; }
  Blocks blocks(Asks asks = Asks::nothing) {
    return {.in = in.data(),
            .out = out.data(),
            .row_in = row_in.data(),
            .col_out = col_out.data(),
            .rows = rows,
            .cols = cols,
            .pieces = pieces.data(),
            .count = kPieces,
            .asks = asks,
            .next_in = in.data()};
  }
  std::string name(const char* target) const {
    return std::string(target) + ", " + std::to_string(rows) + "x" + std::to_string(cols) + " of " +
           std::to_string(unit) + " bytes";
  }
};

void expect_transposed(const Kernels& kernels, int64_t unit, int64_t rows, int64_t cols) {
  for (const Asks asks : {Asks::nothing, Asks::lines_again, Asks::next_rows}) {
    Block block(unit, rows, cols);
    kernels.transpose(block.blocks(asks), unit);
    ASSERT_TRUE(block.out == block.expected)
        << block.name(kernels.target) << ", asks " << static_cast<int>(asks);
  }
}

// Few rows or columns, with groups of the others.
void expect_picked(const Kernels& kernels, Block block, int64_t width, int64_t& picked) {
  const Picks picks(block.places_of_it(), width);
  if (picks.patterns.empty()) return;
  ++picked;
  kernels.pick(block.blocks(), picks);
  ASSERT_TRUE(block.out == block.expected)
      << block.name(kernels.target) << ", picked by " << width << " bytes";
}

TEST(PermuteKernels, TransposeUnitsOfAnySize) {
  for (const Kernels& kernels : host_permute::kernels())
    for (int64_t unit = 1; unit <= host_permute::kMostUnitBytes; ++unit)
      for (const int64_t rows : {1, 2, 3, 4, 7, 8, 16, 19, 33})
        for (const int64_t cols : {1, 2, 3, 5, 6, 8, 15, 17, 64})
          ASSERT_NO_FATAL_FAILURE(expect_transposed(kernels, unit, rows, cols));
}

// Runs of whole lines in a buffer, and the places that they go to.
struct Staged {
  std::vector<uint8_t> from, out, expected;
  std::vector<host_permute::Run> runs;
  int64_t lines = 0;

  Staged(const Staged&) = delete;  // runs point into it
  explicit Staged(const std::vector<int64_t>& lines_of_runs) {
    for (const int64_t count : lines_of_runs) lines += count;
    from.resize(static_cast<size_t>(64 * lines));
    std::mt19937 random(static_cast<unsigned>(lines));
    for (uint8_t& byte : from) byte = static_cast<uint8_t>(random());
    out.resize(from.size() + 64, 0xc3);  // begins anywhere in a line
    expected = out;
    const size_t begin = -reinterpret_cast<uintptr_t>(out.data()) % 64;
    size_t at = 0, to = from.size();
    for (const int64_t count : lines_of_runs) {
      const auto bytes = static_cast<size_t>(64 * count);
      to -= bytes;
      runs.push_back({&from[at], &out[begin + to], 64 * count});
      std::memcpy(&expected[begin + to], &from[at], bytes);
      at += bytes;
    }
  }
};

void expect_beside(const Kernels& kernels, Block block, const Staged& staged, int each) {
  const std::vector<int64_t> lines(static_cast<size_t>(staged.lines), 0);
  host_permute::Lines ahead{block.in.data(), lines.data(), lines.data() + lines.size(), each,
                            1 + each % 2};
  kernels.transpose_beside(block.blocks(each == 1 ? Asks::lines_again : Asks::nothing), block.unit,
                           staged.runs, ahead);
  kernels.finish();
  ASSERT_TRUE(block.out == block.expected) << block.name(kernels.target);
  ASSERT_TRUE(staged.out == staged.expected)
      << staged.lines << " lines beside " << block.name(kernels.target);
  EXPECT_EQ(ahead.next, ahead.end);
}

// Fewer lines than the block has, and more.
TEST(PermuteKernels, TransposeBesideRunsOfTheBlockBefore) {
  const std::vector<std::vector<int64_t>> all_runs = {{}, {1}, {3, 5}, {4, 8, 1, 2}, {60, 40}};
  for (const Kernels& kernels : host_permute::kernels())
    for (const int64_t unit : {1, 2, 3, 4, 8, 16})
      for (const int64_t rows : {1, 2, 7, 8, 16, 33})
        for (const int64_t cols : {1, 3, 8, 15, 17, 64})
          for (const auto& runs : all_runs)
            for (const int each : {1, 2})
              ASSERT_NO_FATAL_FAILURE(
                  expect_beside(kernels, Block(unit, rows, cols), Staged(runs), each));
}

// Groups of the many are shorter and longer than vectors, and some are parts.
TEST(PermuteKernels, PickFewRowsAndFewColumns) {
  for (const Kernels& kernels : host_permute::kernels())
    for (const int64_t width : std::set<int64_t>{Picks::kNarrow, kernels.pick_width}) {
      int64_t picked = 0;
      for (const int64_t unit : {1, 2, 3, 4, 8, 16})
        for (const int64_t few : {2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17})
          for (const int64_t group : {2, 5, 8, 14, 16, 33, 64, 128, 300})
            for (const int64_t many : {group - 1, group, 3 * group, 4 * group + 1}) {
              ASSERT_NO_FATAL_FAILURE(
                  expect_picked(kernels, Block(unit, few, many, 1, group), width, picked));
              ASSERT_NO_FATAL_FAILURE(
                  expect_picked(kernels, Block(unit, many, few, group, 1), width, picked));
            }
      EXPECT_GT(picked, 1000) << kernels.target << ", " << width;
    }
}

// Pieces side by side in the output and apart, at every place in a line.
TEST(PermuteKernels, StreamPiecesOfALineAndMore) {
  std::mt19937 random(7);
  for (const Kernels& kernels : host_permute::kernels())
    for (const int64_t bytes : {64, 65, 80, 100, 127, 128, 200, 320, 1000})
      for (int64_t begin = 0; begin < 64; ++begin) {
        constexpr int64_t kCount = 7;
        std::vector<Piece> pieces;
        for (int64_t i = 0, out = begin; i < kCount; ++i) {
          pieces.push_back({(kCount - 1 - i) * bytes, out});
          out += bytes + (i % 3 == 2 ? kGap : 0);
        }
        std::vector<uint8_t> in(static_cast<size_t>(kCount * bytes));
        for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
        std::vector<uint8_t> out(static_cast<size_t>(pieces.back().out + bytes), 0xc3);
        std::vector<uint8_t> expected = out;
        for (const Piece& piece : pieces)
          std::memcpy(&expected[static_cast<size_t>(piece.out)], &in[static_cast<size_t>(piece.in)],
                      static_cast<size_t>(bytes));
        const std::vector<int64_t> lines = {0, 64};
        host_permute::Lines ahead{in.data(), lines.data(), lines.data() + lines.size(), 1, 1};
        kernels.stream_pieces({.in = in.data(),
                               .out = out.data(),
                               .row_in = nullptr,
                               .col_out = nullptr,
                               .rows = 1,
                               .cols = bytes,
                               .pieces = pieces.data(),
                               .count = kCount},
                              bytes, ahead);
        kernels.finish();
        ASSERT_TRUE(out == expected) << kernels.target << ", " << bytes << " from " << begin;
        if (bytes >= 128) {  // a whole line of each
          EXPECT_EQ(ahead.next, ahead.end);
        }
      }
}

}  // namespace
