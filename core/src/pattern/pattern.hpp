// The right value of every byte of a trial's buffers, by its place alone: computed where it
// is needed, by processors and by kernels, and never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "xpose/plugin.h"

#ifdef __CUDACC__
#define XPOSE_ANYWHERE __host__ __device__
#else
#define XPOSE_ANYWHERE
#endif

namespace xpose {

constexpr std::uint8_t kGuardByte = 0xc3;

// An allocation: guard bytes, elements from `begin` on, guard bytes again. Elements lie in nested
// dimensions, and what they leave between them are guard bytes too, those of `guard`.
struct Pattern {
  // Rows, columns, batch dimensions, and the parts of a fat element.
  static constexpr int kMostDims = XPOSE_MAX_BATCH_RANK + 3;
  struct Dim {
    std::int64_t extent = 0;
    std::int64_t stride = 0;     // here, in elements
    std::int64_t in_stride = 0;  // of the index that an element encodes
  };
  std::uint64_t bytes = 0;  // of the allocation
  std::uint64_t begin = 0;  // offset of element 0
  std::int64_t span = 0;    // elements from the first to one past the last; 0: guards alone
  // A power of two up to 16. A fat element counts as its 16-byte parts, each an element
  // here with an index of its own, and one dimension more.
  std::uint32_t element_bytes = 1;
  std::uint8_t guard = kGuardByte;
  // Element e holds (element_bits(e) & keep | set) ^ flip, 8 bytes at a time.
  std::uint64_t keep = ~std::uint64_t{0};
  std::uint64_t set = 0;
  std::uint64_t flip = 0;        // all ones: the complement, which is poison
  std::int64_t first_index = 0;  // that element 0 encodes
  int rank = 0;
  Dim dims[kMostDims] =
      {};  // extents above 1, largest stride first, each stepping over all that follow
  // Where the rows and columns of a square are given, the lowest bit of an element says whether its
  // index lies above the diagonal, so that narrow elements differ from those they change with.
  int row_dim = -1;
  int col_dim = -1;
};

XPOSE_ANYWHERE constexpr std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The value of the element that encodes an index, in its low `element_bytes` bytes. Neighbours
// differ, and so do indices that are equal modulo 2^32. From 4 bytes on the first 4 are the index
// below 2^32, counted from kFirstIndexBits, and all others follow from them, one to one, so that
// no half of an element may come from another; narrower elements hold a hash of it.
struct ElementBits {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ElementBits&) const = default;
};
// As floating-point numbers, elements of 4 bytes are finite, infinite and then not numbers, so that
// whoever does arithmetic on them is found out.
constexpr std::uint32_t kFirstIndexBits = 0x7f800000U - 16;
// The factors of the second to the fourth word.
constexpr std::uint32_t kSecondFactor = 0x9e3779b1U;
constexpr std::uint32_t kThirdFactor = 0x85ebca77U;
constexpr std::uint32_t kFourthFactor = 0xc2b2ae3dU;
XPOSE_ANYWHERE constexpr std::uint32_t first_word(std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  const std::uint64_t far = i >> 32;
  return static_cast<std::uint32_t>(i + kFirstIndexBits + (far == 0 ? 0 : mix(far)));
}
XPOSE_ANYWHERE constexpr ElementBits bits_of_word(std::uint32_t first,
                                                  std::uint32_t element_bytes) {
  if (element_bytes == 4) return {first, 0};
  if (element_bytes < 4) {
    const std::uint32_t x = (first + 1) * kSecondFactor;
    return {((x ^ (x >> 15)) * kThirdFactor) >> 16, 0};
  }
  const std::uint32_t second = ~first * kSecondFactor;
  const std::uint64_t low = first | (static_cast<std::uint64_t>(second) << 32);
  if (element_bytes == 8) return {low, 0};
  const std::uint32_t third = ~first * kThirdFactor;
  const std::uint32_t fourth = ~first * kFourthFactor;
  return {low, third | (static_cast<std::uint64_t>(fourth) << 32)};
}
XPOSE_ANYWHERE constexpr ElementBits element_bits(std::int64_t index, std::uint32_t element_bytes) {
  return bits_of_word(first_word(index), element_bytes);
}

// Neighbouring positions, in elements, that are all elements or all gap.
struct Run {
  bool is_element = false;
  std::int64_t length = 0;
  std::int64_t index = 0;  // that the first element encodes
  std::int64_t step = 0;   // from each element's index to the next one's
  // Runs like this one that follow without a gap, itself among them, and from the index of each to
  // the next one's.
  std::int64_t rows = 1;
  std::int64_t row_step = 0;
  std::uint64_t keep = 0;  // as in the pattern
  std::uint64_t set = 0;
};

// The content of an element, from the bits of its index.
XPOSE_ANYWHERE constexpr ElementBits marked(ElementBits bits, const Run& run, std::uint64_t flip) {
  return {((bits.low & run.keep) | run.set) ^ flip, ((bits.high & run.keep) | run.set) ^ flip};
}

// a / b of numbers that are not negative; most are small, and those take a fraction of the time.
XPOSE_ANYWHERE constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if ((a | b) >> 32 == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

// [0 <= position < span] The run from a position on.
XPOSE_ANYWHERE constexpr Run run_at(const Pattern& pattern, std::int64_t position) {
  Run run;
  run.index = pattern.first_index;
  std::int64_t left = position;
  std::int64_t next = pattern.span;  // the first element behind the position
  std::int64_t row = 0, col = 0;
  run.length = 1;
  run.keep = pattern.keep;
  run.set = pattern.set;
  for (int d = 0; d < pattern.rank; ++d) {
    const Pattern::Dim& dim = pattern.dims[d];
    const std::int64_t whole = quotient(left, dim.stride);
    const std::int64_t at = whole < dim.extent ? whole : dim.extent - 1;
    if (at + 1 < dim.extent) next = position - left + (at + 1) * dim.stride;
    left -= at * dim.stride;
    run.index += at * dim.in_stride;
    run.step = dim.in_stride;
    if (dim.stride == 1) run.length = dim.extent - at;
    if (d == pattern.rank - 2 && pattern.row_dim < 0 && pattern.dims[d + 1].stride == 1 &&
        pattern.dims[d + 1].extent == dim.stride && left == 0) {
      run.rows = dim.extent - at;
      run.row_step = dim.in_stride;
    }
    if (d == pattern.row_dim) row = at;
    if (d == pattern.col_dim) col = at;
  }
  run.is_element = left == 0;
  if (!run.is_element) {
    run.length = next - position;
  } else if (pattern.row_dim >= 0) {  // the run ends where it meets the diagonal
    const bool along_cols = pattern.col_dim == pattern.rank - 1;
    const std::int64_t first = along_cols ? col : row;
    const std::int64_t other = along_cols ? row : col;
    const std::int64_t meets = along_cols ? other + 1 : other;
    if (first < meets && meets - first < run.length) run.length = meets - first;
    run.keep &= ~std::uint64_t{1};
    if (col > row) run.set |= 1;
  }
  return run;
}

// The element at a position, in elements from element 0, that is none of a gap.
XPOSE_ANYWHERE constexpr ElementBits element_at(const Pattern& pattern, std::int64_t position) {
  const Run run = run_at(pattern, position);
  return marked(element_bits(run.index, pattern.element_bytes), run, pattern.flip);
}

// Ranges [from, to) of an allocation, in bytes from its start; on the host. `data` is where byte
// `from` lies, so that a piece of an allocation can be made and checked anywhere.
void fill_pattern(const Pattern& pattern, std::byte* data, std::uint64_t from, std::uint64_t to);
// Offset in the allocation of the first byte that is not what the pattern says.
std::optional<std::uint64_t> pattern_difference(const Pattern& pattern, const std::byte* data,
                                                std::uint64_t from, std::uint64_t to);

}  // namespace xpose
