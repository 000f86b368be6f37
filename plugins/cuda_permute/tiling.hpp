// The tile of a permutation: the innermost axes of the output and those of the input, as many as it
// takes for long runs on both sides, the last one of each cut. Host code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cuda_permute {

// An axis: its extent and its strides in elements. Input strides have any sign, or are 0.
struct Axis {
  int64_t extent, in, out;
};

// A permutation of elements of `bytes`, at addresses that are multiples of the alignments.
struct Form {
  int64_t bytes;
  int64_t in_alignment, out_alignment;  // bytes
  std::vector<Axis> axes;               // extents of at least 2
};

// The same in the widest elements, up to 16 bytes, that a kept innermost axis allows.
Form widened(Form form);

// Rows that are interleaved in the output, as the channels of an image are.
inline constexpr int kStripRows = 3;

// A form of kStripRows such rows in words of so many bytes: a strip, which is a word of each row in
// the input, is as many words in the output, side by side. Its axis `rows` numbers these.
struct StripForm {
  Form form;
  int rows;
};

// Nothing where strips are no whole words on a side. The addresses of all words are multiples of
// them if those of both first elements are.
std::optional<StripForm> in_strips(const Form& form, int64_t word);

// Bytes of an innermost axis that both sides share; of one element where there is none.
int64_t kept_bytes(const Form& form);

// The axis that is innermost in the input, and in the output; -1: none, or one for both.
struct Inner {
  int in = -1, out = -1;
};
Inner inner_axes(const Form& form);

// How many elements of both inner axes a square in registers may have a side: the widest of at most
// `most_bytes` whose rows are aligned on both sides and leave no rest. 1: no square.
int64_t square_of(const Form& form, int64_t most_bytes);

struct Wish {
  int64_t out_run;       // bytes of a run of the output
  int64_t longest;       // that such a run may have for the sake of fewer ends
  int64_t longest_load;  // bytes of a run of the input
  double out_end;        // bytes that a run of the output costs besides its sectors
  int64_t elements;      // of a tile, at most
  int64_t square;        // elements that the inner axes are cut in multiples of
  int64_t processors;    // that want a tile each
};

struct Tile {
  std::vector<int64_t> extents;  // of each axis of the form; at most as long
  int64_t load_run, store_run;   // bytes side by side
  int64_t tiles;
  int64_t elements;
  bool operator==(const Tile&) const = default;
};

Tile tile_of(const Form& form, const Wish& wish);

// Axes by stride, the smallest first; an input that repeats comes last.
std::vector<int> by_input(const std::vector<Axis>& axes);
std::vector<int> by_output(const std::vector<Axis>& axes);

}  // namespace cuda_permute
