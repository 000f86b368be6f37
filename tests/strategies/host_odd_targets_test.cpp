// The kernels of host_odd, as compiled for each instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "host_odd/kernels.hpp"

namespace {

using host_odd::Kernels;
using host_odd::Rectangle;
using host_odd::TileShape;

constexpr int64_t kGap = 5;  // bytes between rows

// A matrix and its transpose. Vectors end with what is read and written, so that a sanitizer sees
// all beyond.
struct Matrix {
  int64_t unit, rows, cols;
  int64_t in_pitch = cols * unit + kGap, out_pitch = rows * unit + kGap;
  std::vector<uint8_t> in, out, expected;

  Matrix(int64_t unit_, int64_t rows_, int64_t cols_)
      : unit(unit_),
        rows(rows_),
        cols(cols_),
        in(static_cast<size_t>((rows - 1) * in_pitch + cols * unit)),
        out(static_cast<size_t>((cols - 1) * out_pitch + rows * unit), 0xc3),
        expected(out) {
    std::mt19937 random(static_cast<unsigned>(unit * 1000 + rows * 100 + cols));
    for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c)
        std::memcpy(&expected[static_cast<size_t>(c * out_pitch + r * unit)],
                    &in[static_cast<size_t>(r * in_pitch + c * unit)], static_cast<size_t>(unit));
  }

  // In two parts, cut behind so many rows and columns.
  void transpose(const Kernels& kernels, const TileShape& shape, int64_t row_cut, int64_t col_cut) {
    constexpr size_t kAlignment = 64;
    std::vector<uint8_t> memory(static_cast<size_t>(scratch_bytes(shape)) + kAlignment);
    void* scratch = memory.data();
    size_t room = memory.size();
    std::align(kAlignment, memory.size() - kAlignment, scratch, room);
    Rectangle r = {.in = in.data(),
                   .next = in.data(),
                   .out = out.data(),
                   .in_pitch = in_pitch,
                   .out_pitch = out_pitch,
                   .row_begin = 0,
                   .row_end = row_cut,
                   .col_begin = 0,
                   .col_end = col_cut,
                   .cols = cols,
                   .shape = shape,
                   .scratch = static_cast<uint8_t*>(scratch)};
    kernels.transpose(r);
    if (row_cut < rows) r.row_begin = row_cut, r.row_end = rows;
    if (col_cut < cols) r.col_begin = col_cut, r.col_end = cols;
    if (row_cut < rows || col_cut < cols) kernels.transpose(r);
    kernels.finish();
  }
};

void expect_transposed(const Kernels& kernels, const TileShape& shape, int64_t rows, int64_t cols) {
  for (const auto& [row_cut, col_cut] :
       {std::pair{rows, cols}, std::pair{shape.rows, cols}, std::pair{rows, shape.cols}}) {
    if (row_cut > rows || col_cut > cols) continue;
    if (row_cut < rows && rows - row_cut < host_odd::least_rows(shape.unit)) continue;
    if (col_cut < cols && cols - col_cut < host_odd::least_cols(shape.unit)) continue;
    Matrix matrix(shape.unit, rows, cols);
    matrix.transpose(kernels, shape, row_cut, col_cut);
    ASSERT_TRUE(matrix.out == matrix.expected)
        << kernels.target << ", " << rows << 'x' << cols << " of " << shape.unit
        << " bytes, tiles of " << shape.rows << 'x' << shape.cols << ", cut at " << row_cut << ", "
        << col_cut;
  }
}

TEST(OddKernels, TransposeMatricesOfAnySides) {
  for (const Kernels& kernels : host_odd::kernels())
    for (const int64_t unit : {3, 5, 6, 7, 9, 12, 15, 17, 24, 31})
      for (const auto& [rows, cols] : {std::pair{16, 4}, std::pair{32, 12}})
        for (const int64_t high :
             {host_odd::least_rows(unit), int64_t{33}, int64_t{64}, int64_t{77}})
          for (const int64_t wide : {16 / unit + 1, int64_t{8}, int64_t{13}, int64_t{45}})
            ASSERT_NO_FATAL_FAILURE(
                expect_transposed(kernels, {unit, rows < 32 && unit < 4 ? 32 : rows, cols}, high,
                                  std::max(wide, host_odd::least_cols(unit))));
}

// More columns than a strip carries lines of.
TEST(OddKernels, TransposeStripsOfColumns) {
  for (const Kernels& kernels : host_odd::kernels())
    for (const int64_t unit : {3, 7, 13})
      ASSERT_NO_FATAL_FAILURE(
          expect_transposed(kernels, {unit, 32, 16}, 101, 2 * host_odd::kCarriedCols + 7));
}

}  // namespace
