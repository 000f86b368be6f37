// Matrices of bytes for kernels that are compiled for every instruction set that this processor
// has: the conformance suite runs the widest one alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <set>
#include <string>
#include <vector>

inline constexpr int64_t kLine = 64;
inline constexpr uint8_t kGap = 0xc3;

// Matrices whose rows are each followed by a gap, and they themselves by another, and what their
// transposes must be.
struct Matrices {
  int64_t rows, cols, size, matrices;
  int64_t in_pitch, out_pitch, in_step, out_step;  // bytes
  std::vector<uint8_t> in, out, expected;          // with a line before and behind
  int64_t begin;                                   // of the first element in either

  Matrices(int64_t rows_, int64_t cols_, int64_t size_, int64_t gap, int64_t offset,
           int64_t matrices_ = 1, int64_t gap_between = 0)
      : rows(rows_),
        cols(cols_),
        size(size_),
        matrices(matrices_),
        in_pitch((cols + gap) * size),
        out_pitch((rows + gap) * size),
        in_step(rows * in_pitch + gap_between * size),
        out_step(cols * out_pitch + gap_between * size) {
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
           std::to_string(in_pitch) + " and " + std::to_string(out_pitch) + ", steps " +
           std::to_string(in_step) + " and " + std::to_string(out_step) + ", at " +
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
