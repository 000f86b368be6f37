// The kernels in vector registers, as compiled for every instruction set that this processor has:
// the conformance suite runs the widest one alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host_in_place/kernels.hpp"
#include "host_simd/kernels.hpp"
#include "host_skinny/kernels.hpp"

namespace {

constexpr int64_t kLine = 64;
constexpr uint8_t kGap = 0xc3;

// Matrices in lines of their own, each row followed by a gap, and what their transposes must be.
struct Matrices {
  int64_t rows, cols, size, matrices;
  int64_t in_pitch, out_pitch, in_step, out_step;  // bytes
  std::vector<uint8_t> in, out, expected;          // with a line before and behind
  int64_t begin;                                   // of the first element in either

  Matrices(int64_t rows_, int64_t cols_, int64_t size_, int64_t gap, int64_t offset,
           int64_t matrices_ = 1)
      : rows(rows_),
        cols(cols_),
        size(size_),
        matrices(matrices_),
        in_pitch((cols + gap) * size),
        out_pitch((rows + gap) * size),
        in_step(rows * in_pitch),
        out_step(cols * out_pitch) {
    const int64_t bytes = matrices * std::max(in_step, out_step) + 4 * kLine;
    in.resize(size_t(bytes), kGap);
    out = in;
    begin = kLine + offset;
    while (reinterpret_cast<uintptr_t>(in.data() + begin) % kLine != uintptr_t(offset % kLine))
      ++begin;
    uint32_t next = 1;
    for (int64_t i = 0; i < matrices * in_step; ++i)
      in[size_t(begin + i)] = uint8_t((next = next * 1664525 + 1013904223) >> 24);
    expected = out;
    for (int64_t m = 0; m < matrices; ++m)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          std::memcpy(&expected[size_t(out_begin() + m * out_step + c * out_pitch + r * size)],
                      &in[size_t(begin + m * in_step + r * in_pitch + c * size)], size_t(size));
  }

  // The output is aligned as the input is, to the offset in a line.
  int64_t out_begin() const {
    const auto at = reinterpret_cast<uintptr_t>(out.data()) % kLine;
    const auto wanted = reinterpret_cast<uintptr_t>(in.data() + begin) % kLine;
    return kLine + int64_t((wanted + kLine - at) % kLine);
  }
  std::string name(const char* target) const {
    return std::string(target) + ", " + std::to_string(matrices) + " of " + std::to_string(rows) +
           "x" + std::to_string(cols) + " of " + std::to_string(size) + " bytes, pitches " +
           std::to_string(in_pitch) + " and " + std::to_string(out_pitch) + ", at " +
           std::to_string(reinterpret_cast<uintptr_t>(in.data() + begin) % kLine);
  }
};

template <class Kernels>
void expect_each_once(const std::vector<Kernels>& all) {
  std::set<std::string> names;
  std::cout << "[ targets  ]";
  for (const Kernels& kernels : all) {
    std::cout << ' ' << kernels.target;
    EXPECT_TRUE(names.insert(kernels.target).second) << kernels.target << " twice";
  }
  std::cout << '\n';
  ASSERT_FALSE(all.empty());
}

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
                                       {5 * side + 3, 4 * side}})
        for (const int64_t gap : {int64_t{0}, int64_t{1}, side})
          for (const int64_t offset : {int64_t{0}, size, kLine / 2})
            for (const Writing& writing : {Writing{false, 0, 0},
                                           {false, 0, 1},
                                           {false, 4, 0},
                                           {true, 2, 0},
                                           {true, 2, 1},
                                           {true, 2, 1, false},
                                           {true, 2, 2},
                                           {true, 1, 1},
                                           {true, 1, 2}}) {
              Matrices m(rows, cols, size, gap, offset);
              ASSERT_NO_FATAL_FAILURE(expect_transposed(kernels, m, writing, 0));
            }
    }
}

// Two shares of the rows or of the columns, the second one with as many as `second`.
void expect_transposed_in_panels(const host_simd::Kernels& kernels, Matrices& m,
                                 host_simd::Panels panels, int64_t second) {
  const bool down = panels == host_simd::Panels::kDown;
  Room room(host_simd::panel_bytes(panels, m.rows, m.cols, m.size));
  const int64_t all = down ? m.rows : m.cols;
  for (const auto& [begin, end] : {std::pair(int64_t{0}, all - second), {all - second, all}})
    kernels.transpose({.in = &m.in[size_t(m.begin)],
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

TEST(HostTargets, OfInPlaceSwap) {
  expect_each_once(host_in_place::kernels());
  for (const host_in_place::Kernels& kernels : host_in_place::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16})
      for (const int64_t run : {128, 256}) {
        const int64_t tile = kLine / size, block = run / size;
        for (const int64_t side : {int64_t{1}, tile - 1, tile, block, block + 1, block + tile + 3,
                                   2 * block - 1, 3 * block})
          for (const auto& [gap, offset] : {std::pair<int64_t, int64_t>(0, 0), {1, size}}) {
            Matrices m(side, side, size, gap, offset, 3);
            std::vector<uint8_t> wanted = m.in;  // between rows and around all of it as it was
            for (int64_t i = 0; i < 3 * side; ++i)
              std::memcpy(&wanted[size_t(m.begin + i * m.in_pitch)],
                          &m.expected[size_t(m.out_begin() + i * m.out_pitch)],
                          size_t(side * size));
            const host_in_place::Squares squares = {.at = &m.in[size_t(m.begin)],
                                                    .side = side,
                                                    .pitch = m.in_pitch,
                                                    .stride = m.in_step};
            const std::vector<uint8_t> before = m.in;
            for (const auto order : {host_in_place::Order::kRows, host_in_place::Order::kTwins}) {
              const host_in_place::Pairs blocks(host_in_place::blocks_of(side, size, run), order);
              const int64_t pairs = 3 * blocks.of_a_matrix(), part = pairs / 2;
              m.in = before;
              kernels.swap(squares, uint32_t(size), run, order, part, pairs);
              kernels.swap(squares, uint32_t(size), run, order, 0, part);
              ASSERT_TRUE(m.in == wanted) << m.name(kernels.target) << ", run " << run;
            }
          }
      }
}

TEST(InPlacePairs, AreEachMetOnceFromAnyBegin) {
  using host_in_place::Order, host_in_place::Pair, host_in_place::Pairs;
  for (const Order order : {Order::kRows, Order::kTwins})
    for (int64_t blocks = 1; blocks < 8; ++blocks) {
      const Pairs pairs(blocks, order);
      std::set<std::tuple<int64_t, int64_t, int64_t>> met;
      Pair walked = pairs[0];
      for (int64_t i = 0; i < 2 * pairs.of_a_matrix(); ++i, walked = pairs.after(walked)) {
        const Pair pair = pairs[i];
        EXPECT_EQ(std::tie(pair.matrix, pair.row, pair.col),
                  std::tie(walked.matrix, walked.row, walked.col));
        EXPECT_EQ(pair.matrix, i / pairs.of_a_matrix());
        EXPECT_TRUE(0 <= pair.row && pair.row <= pair.col && pair.col < blocks);
        met.emplace(pair.matrix, pair.row, pair.col);
      }
      EXPECT_EQ(std::ssize(met), 2 * pairs.of_a_matrix()) << blocks;
    }
}

TEST(HostTargets, OfSkinnyTranspose) {
  expect_each_once(host_skinny::kernels());
  using host_skinny::Form;
  for (const host_skinny::Kernels& kernels : host_skinny::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      const int64_t side = kLine / size;
      const auto expect_right = [&](int64_t rows, int64_t cols, int64_t matrices, Form form) {
        for (const int64_t gap : {0, 1})
          for (const int64_t offset : {int64_t{0}, size})
            for (const auto& [streams, ahead] : {std::pair(false, 2), {true, 2}, {true, 1}}) {
              Matrices m(rows, cols, size, gap, offset, matrices);
              kernels.transpose({.in = &m.in[size_t(m.begin)],
                                 .out = &m.out[size_t(m.out_begin())],
                                 .rows = rows,
                                 .cols = cols,
                                 .in_pitch = m.in_pitch,
                                 .out_pitch = m.out_pitch,
                                 .matrices = matrices,
                                 .in_step = m.in_step,
                                 .out_step = m.out_step,
                                 .form = form,
                                 .streams = streams,
                                 .ahead = ahead},
                                uint32_t(size));
              ASSERT_TRUE(m.out == m.expected) << m.name(kernels.target) << ", form " << int(form)
                                               << ", streams " << streams << ", ahead " << ahead;
            }
      };
      for (int64_t narrow = 2; narrow < side; narrow += narrow < 6 ? 1 : 7)
        for (const int64_t length : {side, 9 * side + 1}) {
          expect_right(length, narrow, 1, Form::kDeinterleave);
          expect_right(narrow, length, 1, Form::kInterleave);
        }
      for (const int64_t length : {side, 2 * side, 9 * side + 1})
        expect_right(length, side, 1, Form::kDeinterleave);
      for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>(2, 2),
                                       {3, 3},
                                       {5, 5},
                                       {8, 8},
                                       {2, 11},
                                       {side, side},
                                       {16, 16}})
        if (rows * cols * size <= host_skinny::kSmallBytes)
          expect_right(rows, cols, 23, Form::kSmall);
      for (int64_t few = 2; few <= 5; ++few)
        for (const int64_t many : {16 / size, 16 / size + 1, side - 1, side, 3 * side + 5})
          if (many > few) {
            expect_right(many, few, 5, Form::kSmall);
            expect_right(few, many, 5, Form::kSmall);
          }
    }
}

}  // namespace
