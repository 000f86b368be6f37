#include "pattern/pattern.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "pattern/pattern_value.hpp"
#include "threads/parallel.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kGrain = 4 << 20;  // bytes that are worth another thread
constexpr std::int64_t kBlock = 256;  // elements compared before it is asked whether one differs
constexpr std::int64_t kLongestRow = kBlock / 4;  // of several that are made at once

// Of the i-th element of a run, or of its rows.
std::int64_t index_at(const Run& run, std::int64_t i) {
  if (run.rows == 1) return run.index + i * run.step;
  return run.index + i / run.length * run.row_step + i % run.length * run.step;
}

// Elements of a block of a run: of several rows, whole ones.
std::int64_t block_of(const Run& run) {
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

class Fill {
 public:
  Fill(const Pattern& pattern, std::byte* data, std::uint64_t from)
      : flip_(pattern.flip), guard_(pattern.guard), data_(data), from_(from) {}

  bool guard(std::uint64_t at, std::uint64_t bytes) {
    std::memset(data_ + (at - from_), guard_, bytes);
    return true;
  }
  bool part(std::uint64_t at, std::byte value) {
    data_[at - from_] = value;
    return true;
  }
  template <std::size_t bytes>
  bool elements(std::uint64_t at, const Run& run, std::int64_t count) {
    const std::int64_t step = block_of(run);
    for (std::int64_t begin = 0; begin < count; begin += step) {
      std::byte* to = data_ + (at - from_) + static_cast<std::uint64_t>(begin) * bytes;
      for_words(run, begin, std::min(step, count - begin),
                [to, run, flip = flip_](std::int64_t i, std::uint32_t word) {
                  const auto value = Value<bytes>::of_word(word, run, flip);
                  std::memcpy(to + i * static_cast<std::int64_t>(bytes), &value.word, bytes);
                });
    }
    return true;
  }

 private:
  std::uint64_t flip_;
  std::uint8_t guard_;
  std::byte* data_;  // what lies at from_
  std::uint64_t from_;
};

// Stops at the first byte that differs.
class Compare {
 public:
  Compare(const Pattern& pattern, const std::byte* data, std::uint64_t from)
      : flip_(pattern.flip), guard_{pattern.guard}, data_(data), from_(from) {}

  std::optional<std::uint64_t> found() const { return found_; }

  bool guard(std::uint64_t at, std::uint64_t bytes) {
    const std::byte* begin = data_ + (at - from_);
    const std::byte* other = std::find_if(
        begin, begin + bytes, [guard = guard_](std::byte byte) { return byte != guard; });
    if (other != begin + bytes) found_ = offset_of(other);
    return !found_;
  }
  bool part(std::uint64_t at, std::byte value) {
    if (data_[at - from_] != value) found_ = at;
    return !found_;
  }
  template <std::size_t bytes>
  bool elements(std::uint64_t at, const Run& run, std::int64_t count) {
    const std::int64_t step = block_of(run);
    for (std::int64_t begin = 0; begin < count; begin += step) {
      const std::int64_t here = std::min(step, count - begin);
      const std::byte* from = data_ + (at - from_) + static_cast<std::uint64_t>(begin) * bytes;
      if (!differs<bytes>(from, run, begin, here)) continue;
      for (std::int64_t i = 0;; ++i) {
        const auto value = Value<bytes>::of_word(first_word(index_at(run, begin + i)), run, flip_);
        std::array<std::byte, bytes> wanted;
        std::memcpy(wanted.data(), &value.word, bytes);
        const std::byte* element = from + i * static_cast<std::int64_t>(bytes);
        const auto other = std::mismatch(wanted.begin(), wanted.end(), element);
        if (other.first == wanted.end()) continue;
        found_ = offset_of(other.second);
        return false;
      }
    }
    return true;
  }

 private:
  template <std::size_t bytes>
  bool differs(const std::byte* from, const Run& run, std::int64_t begin,
               std::int64_t count) const {
    Value<bytes> difference;
    for_words(run, begin, count,
              [&difference, from, run, flip = flip_](std::int64_t i, std::uint32_t word) {
                difference.add_difference(
                    Value<bytes>::of_word(word, run, flip),
                    value_at<bytes>(from + i * static_cast<std::int64_t>(bytes)));
              });
    return difference.any();
  }
  std::uint64_t offset_of(const std::byte* byte) const {
    return from_ + static_cast<std::uint64_t>(byte - data_);
  }

  std::uint64_t flip_;
  std::byte guard_;
  const std::byte* data_;  // what lies at from_
  std::uint64_t from_;
  std::optional<std::uint64_t> found_;
};

// The runs of a pattern one after the other: of many short dimensions without gaps the next run is
// found by counting, at a fraction of the divisions.
class Walk {
 public:
  explicit Walk(const Pattern& pattern) : pattern_(pattern) {
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
void visit(const Pattern& pattern, std::uint64_t from, std::uint64_t to, Visitor& visitor) {
  const std::uint64_t size = pattern.element_bytes;
  const std::uint64_t end = pattern.begin + static_cast<std::uint64_t>(pattern.span) * size;
  bool more = true;
  Walk walk(pattern);
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

template <class Body>
void in_parts(std::uint64_t from, std::uint64_t to, const Body& body) {
  in_parallel(static_cast<std::int64_t>(to - from), kGrain, [&](std::int64_t a, std::int64_t b) {
    body(from + static_cast<std::uint64_t>(a), from + static_cast<std::uint64_t>(b));
  });
}

// Compiled for wider vectors as well, of which the loader picks the widest that the processor has:
// elements of 1 and 2 bytes are hashes, which the widest fill many times as fast. The sanitizers
// are not ready when the loader asks.
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define XPOSE_WIDER_VECTORS \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define XPOSE_WIDER_VECTORS
#endif

XPOSE_WIDER_VECTORS void fill_part(const Pattern& pattern, std::byte* data, std::uint64_t data_from,
                                   std::uint64_t from, std::uint64_t to) {
  Fill fill(pattern, data, data_from);
  visit(pattern, from, to, fill);
}

XPOSE_WIDER_VECTORS std::optional<std::uint64_t> part_difference(const Pattern& pattern,
                                                                 const std::byte* data,
                                                                 std::uint64_t data_from,
                                                                 std::uint64_t from,
                                                                 std::uint64_t to) {
  Compare compare(pattern, data, data_from);
  visit(pattern, from, to, compare);
  return compare.found();
}

}  // namespace

void fill_pattern(const Pattern& pattern, std::byte* data, std::uint64_t from, std::uint64_t to) {
  in_parts(from, to,
           [&](std::uint64_t a, std::uint64_t b) { fill_part(pattern, data, from, a, b); });
}

std::optional<std::uint64_t> pattern_difference(const Pattern& pattern, const std::byte* data,
                                                std::uint64_t from, std::uint64_t to) {
  std::atomic<std::uint64_t> first = to;
  in_parts(from, to, [&](std::uint64_t a, std::uint64_t b) {
    const std::optional<std::uint64_t> found = part_difference(pattern, data, from, a, b);
    if (!found) return;
    std::uint64_t known = first;
    while (*found < known && !first.compare_exchange_weak(known, *found)) {
    }
  });
  if (first == to) return std::nullopt;
  return first;
}

}  // namespace xpose
