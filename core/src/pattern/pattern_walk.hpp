// A range of a pattern, piece by piece: its guards, its elements run by run, and their words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pattern/pattern.hpp"

namespace xpose {

inline constexpr std::int64_t kBlock = 256;  // elements compared before a difference is asked for
inline constexpr std::int64_t kLongestRow = kBlock / 4;  // of several that are made at once

// Of the i-th element of a run, or of its rows.
inline std::int64_t index_at(const Run& run, std::int64_t i) {
  if (run.rows == 1) return run.index + i * run.step;
  return run.index + i / run.length * run.row_step + i % run.length * run.step;
}

// Elements of a block of a run: of several rows, whole ones.
inline std::int64_t block_of(const Run& run) {
  return run.rows == 1 ? kBlock : kBlock - kBlock % run.length;
}

// each(i, first word) for the elements of a run's block, which begins at element `begin`. Below the
// next multiple of 2^32 the word only adds.
template <class Each>
void for_words(const Run& run, std::int64_t begin, std::int64_t count, const Each& each) {
  const std::int64_t index = index_at(run, begin);
  const auto length = static_cast<std::uint32_t>(run.length);
  const std::int64_t along = (run.rows == 1 ? count - 1 : length - 1) * run.step;
  const std::int64_t across = run.rows == 1 ? 0 : (count - 1) / length * run.row_step;
  const auto is_far = [index](std::int64_t other) { return index >> 32 != other >> 32; };
  if (is_far(index + along) || is_far(index + across) || is_far(index + along + across)) {
    for (std::int64_t i = 0; i < count; ++i) each(i, first_word(index_at(run, begin + i)));
    return;
  }
  const std::uint32_t first = first_word(index);
  const auto by = static_cast<std::uint32_t>(run.step);
  if (run.rows == 1) {
    for (std::int64_t i = 0; i < count; ++i) each(i, first + static_cast<std::uint32_t>(i) * by);
    return;
  }
  // i / length for i < 256, by multiplication.
  const std::uint32_t inverse = (65536 + length - 1) / length;
  const std::uint32_t by_row = static_cast<std::uint32_t>(run.row_step) - length * by;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    each(i, first + at * by + (at * inverse >> 16) * by_row);
  }
}

// Calls each with the element's size as a constant.
template <class Each>
void for_size(std::uint32_t element_bytes, const Each& each) {
  switch (element_bytes) {
    case 1:
      return each(std::integral_constant<std::size_t, 1>());
    case 2:
      return each(std::integral_constant<std::size_t, 2>());
    case 4:
      return each(std::integral_constant<std::size_t, 4>());
    case 8:
      return each(std::integral_constant<std::size_t, 8>());
    default:
      return each(std::integral_constant<std::size_t, 16>());
  }
}

// The runs of a pattern one after the other: of many short dimensions without gaps the next run is
// found by counting, at a fraction of the divisions.
class PatternWalk {
 public:
  explicit PatternWalk(const Pattern& pattern) : pattern_(pattern) {
    std::int64_t dense = 1;
    for (int d = pattern.rank - 1; d >= 0; --d) {
      is_dense_ = is_dense_ && pattern.dims[d].stride == dense;
      dense *= pattern.dims[d].extent;
      if (d == pattern.rank - 2) block_ = dense;
    }
    is_dense_ = is_dense_ && pattern.rank > 3 && pattern.row_dim < 0;
  }

  Run at(std::int64_t position) {
    if (!is_dense_ || position % block_ != 0) return run_at(pattern_, position);
    if (position != next_)
      start(position);
    else
      count();
    next_ = position + block_;
    return run_;
  }

 private:
  void start(std::int64_t position) {
    run_ = run_at(pattern_, position);
    for (int d = 0; d < pattern_.rank - 2; ++d)
      at_.at(static_cast<std::size_t>(d)) =
          position / pattern_.dims[d].stride % pattern_.dims[d].extent;
  }
  void count() {
    for (int d = pattern_.rank - 3; d >= 0; --d) {
      const Pattern::Dim& dim = pattern_.dims[d];
      std::int64_t& at = at_[static_cast<std::size_t>(d)];
      run_.index += dim.in_stride;
      if (++at < dim.extent) return;
      run_.index -= at * dim.in_stride;
      at = 0;
    }
  }

  const Pattern& pattern_;
  bool is_dense_ = true;
  std::int64_t block_ = 1;  // elements of the last two dimensions
  std::int64_t next_ = -1;  // position behind the last run
  Run run_;
  std::array<std::int64_t, Pattern::kMostDims> at_{};  // of the run, along all dimensions but two
};

// Shows a visitor the range piece by piece, until it says that it has seen enough.
template <class Visitor>
void visit_pattern(const Pattern& pattern, std::uint64_t from, std::uint64_t to, Visitor& visitor) {
  const std::uint64_t size = pattern.element_bytes;
  const std::uint64_t end = pattern.begin + static_cast<std::uint64_t>(pattern.span) * size;
  bool more = true;
  PatternWalk walk(pattern);
  for (std::uint64_t at = from; more && at < to;) {
    if (at < pattern.begin || at >= end) {
      const std::uint64_t bytes = (at < pattern.begin ? std::min(to, pattern.begin) : to) - at;
      more = visitor.guard(at, bytes);
      at += bytes;
      continue;
    }
    const std::uint64_t inside = (at - pattern.begin) % size;
    Run run = walk.at(static_cast<std::int64_t>((at - pattern.begin) / size));
    if (run.length > kLongestRow) run.rows = 1;
    const std::int64_t whole =
        inside != 0 ? 0
                    : std::min(run.length * run.rows, static_cast<std::int64_t>((to - at) / size));
    if (!run.is_element) {
      const std::uint64_t bytes =
          std::min(to - at, static_cast<std::uint64_t>(run.length) * size - inside);
      more = visitor.guard(at, bytes);
      at += bytes;
    } else if (whole == 0) {  // an end of the range cuts the element
      const ElementBits bits =
          marked(element_bits(run.index, pattern.element_bytes), run, pattern.flip);
      const std::uint64_t word = inside < 8 ? bits.low : bits.high;
      more = visitor.part(at++, static_cast<std::byte>(word >> (inside % 8 * 8)));
    } else {
      for_size(pattern.element_bytes,
               [&](auto bytes) { more = visitor.template elements<bytes>(at, run, whole); });
      at += static_cast<std::uint64_t>(whole) * size;
    }
  }
}

}  // namespace xpose
