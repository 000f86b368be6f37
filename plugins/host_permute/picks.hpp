// A block whose squares would be small, as a list of picks: vectors of the output, the windows of
// the input that their bytes lie in, and which of a window's bytes goes where. Few rows that are
// interleaved, and few columns that are taken apart, are blocks of this kind.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace host_permute {

// Where the rows of a block begin in the input and its columns in the output, in bytes.
struct Places {
  const int64_t* row_in;
  const int64_t* col_out;
  int64_t rows, cols, unit;
};

struct Picks {
  static constexpr int64_t kWide = 64, kNarrow = 16;            // bytes of a vector and of a window
  static constexpr int64_t kMostWindows = 8, kMostVectors = 4;  // of a pattern
  static constexpr int64_t kMostTables = 16;

  // For each byte of a vector its place in a window, and in the top bit whether the window has it:
  // set in a wide table, clear in a narrow one.
  struct alignas(kWide) Table {
    std::array<uint8_t, kWide> from;
    auto operator<=>(const Table&) const = default;
  };
  // A few vectors from the same windows.
  struct Pattern {
    int64_t vectors, windows;
    int64_t vector_bytes, window_bytes;  // of each, at most `width`
    std::vector<Table> tables;           // of the first vector for each window, of the second, ...
    // Wherever the pattern occurs: where its vectors begin in the output, and its windows in the
    // input.
    std::vector<int64_t> places;
  };

  // None where squares are sure to be faster, where a vector has too many windows, where the block
  // is long, or where a narrow vector or window would have fewer bytes.
  Picks(const Places& block, int64_t vector_bytes);

  // Whether they are faster than squares.
  bool pay(const Places& block) const;

  int64_t width;
  std::vector<Pattern> patterns;
};

}  // namespace host_permute
