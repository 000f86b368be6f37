// The kernels of host_simd, as compiled for each instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host_simd/kernels.hpp"
#include "target_matrices.hpp"

namespace {

// How output rows are written, and what is asked for before its turn; see Rectangle.
struct Writing {
  bool stream;
  int gather, ahead;
  bool near = true;
};

// Memory of a kernel, aligned to lines, with lines before and behind that it must leave alone.
class Room {
 public:
  explicit Room(int64_t bytes) : bytes_(bytes), all_(size_t(bytes + 2 * kLine), kGap) {}

  uint8_t* begin() {
    return all_.data() + kLine - int64_t(reinterpret_cast<uintptr_t>(all_.data()) % kLine);
  }
  bool is_intact_around() {
    const auto is_gap = [](uint8_t byte) { return byte == kGap; };
    return std::all_of(all_.data(), begin(), is_gap) &&
           std::all_of(begin() + bytes_, all_.data() + all_.size(), is_gap);
  }

 private:
  int64_t bytes_;
  std::vector<uint8_t> all_;
};

// Asks the kernels for the transpose, and that nothing beyond it is written.
void expect_transposed(const host_simd::Kernels& kernels, Matrices& m, const Writing& writing,
                       int64_t strip) {
  Room carry(kLine * host_simd::carried_columns(strip, m.cols));
  kernels.transpose({.in = &m.in[size_t(m.begin)],
                     .next = nullptr,
                     .out = &m.out[size_t(m.out_begin())],
                     .in_pitch = m.in_pitch,
                     .out_pitch = m.out_pitch,
                     .row_begin = 0,
                     .row_end = m.rows,
                     .col_begin = 0,
                     .col_end = m.cols,
                     .stream = writing.stream,
                     .gather = writing.gather,
                     .ahead = writing.ahead,
                     .near = writing.near,
                     .strip = strip,
                     .carry = carry.begin(),
                     .panels = host_simd::Panels::kNone},
                    uint32_t(m.size));
  const std::string name = m.name(kernels.target) + ", stream " + std::to_string(writing.stream) +
                           ", gather " + std::to_string(writing.gather) + ", ahead " +
                           std::to_string(writing.ahead) + ", near " +
                           std::to_string(writing.near) + ", strip " + std::to_string(strip);
  ASSERT_TRUE(m.out == m.expected) << name;
  EXPECT_TRUE(carry.is_intact_around()) << name << " wrote outside what it carries";
}

TEST(HostTargets, OfSimdTranspose) {
  expect_each_once(host_simd::kernels());
  for (const host_simd::Kernels& kernels : host_simd::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      const int64_t side = kLine / size;
      for (const auto& [rows, cols] : {std::pair(side, side),
                                       {side + 1, 3 * side - 1},
                                       {4 * side, 2 * side},
                                       {2 * side, 9 * side + 1},
                                       {5 * side + 3, 4 * side},
                                       {17 * side + 3, 3 * side + 1},
                                       {24 * side, 2 * side}})
        for (const int64_t gap : {int64_t{0}, int64_t{1}, side})
          for (const int64_t offset : {int64_t{0}, size, kLine / 2})
            for (const Writing& writing : {Writing{false, 0, 0},
                                           {false, 0, 1},
                                           {false, 4, 0},
                                           {true, 2, 0},
                                           {true, 2, 1},
                                           {true, 2, 1, false},
                                           {true, 2, 2},
                                           {true, 8, 0},
                                           {true, 8, 2},
                                           {true, 8, 2, false},
                                           {true, 1, 1},
                                           {true, 1, 2}}) {
              Matrices m(rows, cols, size, gap, offset);
              ASSERT_NO_FATAL_FAILURE(expect_transposed(kernels, m, writing, 0));
            }
    }
}

// Two shares of the rows or of the columns, the second one with as many as `second`. The first one
// asks for its part again, as for that of a next matrix.
void expect_transposed_in_panels(const host_simd::Kernels& kernels, Matrices& m,
                                 host_simd::Panels panels, int64_t second) {
  const bool down = panels == host_simd::Panels::kDown;
  Room room(host_simd::panel_bytes(panels, m.rows, m.cols, m.size));
  const int64_t all = down ? m.rows : m.cols;
  for (const auto& [begin, end] : {std::pair(int64_t{0}, all - second), {all - second, all}})
    kernels.transpose({.in = &m.in[size_t(m.begin)],
                       .next = begin == 0 ? &m.in[size_t(m.begin)] : nullptr,
                       .out = &m.out[size_t(m.out_begin())],
                       .in_pitch = m.in_pitch,
                       .out_pitch = m.out_pitch,
                       .row_begin = down ? begin : 0,
                       .row_end = down ? end : m.rows,
                       .col_begin = down ? 0 : begin,
                       .col_end = down ? m.cols : end,
                       .stream = true,
                       .gather = 2,
                       .ahead = 2,
                       .near = true,
                       .strip = 0,
                       .carry = room.begin(),
                       .panels = panels},
                      uint32_t(m.size));
  const std::string name = m.name(kernels.target) + ", panels " + (down ? "down" : "across") +
                           ", a second share of " + std::to_string(second);
  ASSERT_TRUE(m.out == m.expected) << name;
  EXPECT_TRUE(room.is_intact_around()) << name << " wrote outside its room";
}

TEST(HostTargets, OfSimdTransposeInPanels) {
  using host_simd::Panels;
  for (const host_simd::Kernels& kernels : host_simd::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      const int64_t side = kLine / size, panel = host_simd::panel_lines(size) * side;
      for (const int64_t more : {int64_t{0}, int64_t{1}, side - 1})
        for (const int64_t narrow : {side, side + 1, 3 * side - 1})
          for (const int64_t second : {int64_t{1}, side, side + 1, panel + 3})
            for (const int64_t offset : {int64_t{0}, size, kLine / 2}) {
              const int64_t wide = 3 * panel + more;
              for (const int64_t gap : {int64_t{0}, int64_t{1}}) {
                Matrices down(wide, narrow, size, gap, offset);
                ASSERT_NO_FATAL_FAILURE(
                    expect_transposed_in_panels(kernels, down, Panels::kDown, second));
              }
              Matrices across(narrow, wide, size, 0, offset);
              ASSERT_NO_FATAL_FAILURE(
                  expect_transposed_in_panels(kernels, across, Panels::kAcross, second));
            }
    }
}

TEST(HostTargets, OfSimdTransposeInStrips) {
  constexpr int64_t kBlock = host_simd::kStripBlock;
  for (const host_simd::Kernels& kernels : host_simd::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      const int64_t side = kLine / size;
      for (const int64_t rows : {side, 5 * side + 3})
        for (const int64_t
                 cols :  // ends in and behind a strip, by more and by less than half a block
             {side, kBlock + 1, 3 * kBlock / 2 - 1, 3 * kBlock / 2, 2 * kBlock + 5, 4 * kBlock - 1,
              28 * side - 1, 28 * side})
          for (const int64_t strip : {kBlock, 2 * kBlock})
            for (const bool near : {true, false}) {  // whose blocks are of different widths
              Matrices m(rows, cols, size, 1, size);
              ASSERT_NO_FATAL_FAILURE(expect_transposed(kernels, m, {true, 2, 1, near}, strip));
            }
    }
}

}  // namespace
