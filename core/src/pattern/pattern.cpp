#include "pattern/pattern.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "pattern/pattern_value.hpp"
#include "pattern/pattern_walk.hpp"
#include "threads/parallel.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kGrain = 4 << 20;  // bytes that are worth another thread

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
  visit_pattern(pattern, from, to, fill);
}

XPOSE_WIDER_VECTORS std::optional<std::uint64_t> part_difference(const Pattern& pattern,
                                                                 const std::byte* data,
                                                                 std::uint64_t data_from,
                                                                 std::uint64_t from,
                                                                 std::uint64_t to) {
  Compare compare(pattern, data, data_from);
  visit_pattern(pattern, from, to, compare);
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
