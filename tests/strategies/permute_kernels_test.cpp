// The kernels of permutations, as compiled for every instruction set that this processor has: the
// conformance suite runs the widest one alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "host_permute/kernels.hpp"

namespace {

using host_permute::Blocks;
using host_permute::Kernels;
using host_permute::Piece;

constexpr int64_t kPieces = 2;

// So many places of so many bytes, in any order, with gaps between them.
std::vector<int64_t> places(int64_t count, int64_t bytes, std::mt19937& random) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(i * (bytes + 3));
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

// Vectors end with what is read and written, so that a sanitizer sees all beyond.
void expect_transposed(const Kernels& kernels, int64_t unit, int64_t rows, int64_t cols) {
  std::mt19937 random(static_cast<unsigned>(unit * 1000 + rows * 100 + cols));
  const std::vector<int64_t> row_in = places(rows, cols * unit, random),
                             col_out = places(cols, rows * unit, random);
  const int64_t in_bytes = rows * (cols * unit + 3) - 3, out_bytes = cols * (rows * unit + 3) - 3;
  const std::vector<Piece> pieces = {{in_bytes, 0}, {0, out_bytes}};
  std::vector<uint8_t> in(static_cast<size_t>(kPieces * in_bytes));
  for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
  std::vector<uint8_t> out(static_cast<size_t>(kPieces * out_bytes), 0xc3), expected = out;
  for (const Piece& piece : pieces)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c)
        std::memcpy(
            &expected[static_cast<size_t>(piece.out + col_out[static_cast<size_t>(c)] + r * unit)],
            &in[static_cast<size_t>(piece.in + row_in[static_cast<size_t>(r)] + c * unit)],
            static_cast<size_t>(unit));
  kernels.transpose({.in = in.data(),
                     .out = out.data(),
                     .row_in = row_in.data(),
                     .col_out = col_out.data(),
                     .rows = rows,
                     .cols = cols,
                     .pieces = pieces.data(),
                     .count = kPieces},
                    unit);
  ASSERT_TRUE(out == expected) << kernels.target << ", " << rows << "x" << cols << " of " << unit
                               << " bytes";
}

TEST(PermuteKernels, TransposeUnitsOfAnySize) {
  for (const Kernels& kernels : host_permute::kernels())
    for (int64_t unit = 1; unit <= host_permute::kMostUnitBytes; ++unit)
      for (const int64_t rows : {1, 2, 3, 4, 7, 8, 16, 19, 33})
        for (const int64_t cols : {1, 2, 3, 5, 6, 8, 15, 17, 64})
          ASSERT_NO_FATAL_FAILURE(expect_transposed(kernels, unit, rows, cols));
}

}  // namespace
