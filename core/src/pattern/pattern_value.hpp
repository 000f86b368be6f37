// The elements of a pattern in the form in which the host makes and compares many of them at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pattern/pattern.hpp"

namespace xpose {

// An element as an integer, so that loops over elements compile to vectors.
template <std::size_t bytes>
struct Value {
  using Word = std::conditional_t<
      bytes == 1, std::uint8_t,
      std::conditional_t<bytes == 2, std::uint16_t,
                         std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;
  Word word = 0;

  static Value of_word(std::uint32_t first, const Run& run, std::uint64_t flip) {
    return {static_cast<Word>(marked(bits_of_word(first, bytes), run, flip).low)};
  }
  void add_difference(const Value& a, const Value& b) {
    word = static_cast<Word>(word | (a.word ^ b.word));
  }
  bool any() const { return word != 0; }
};

// One of 16 bytes is a vector by itself, which GCC does not make of its words: checks are several
// times as fast.
template <>
struct Value<16> {
  using Word = std::uint32_t __attribute__((vector_size(16)));
  Word word = {};

  // The words of bits_of_word(), all by one formula.
  static Value of_word(std::uint32_t first, const Run& run, std::uint64_t flip) {
    constexpr Word kInvert = {0, ~0U, ~0U, ~0U};
    constexpr Word kFactor = {1, kSecondFactor, kThirdFactor, kFourthFactor};
    const Word bits = ((Word{} + first) ^ kInvert) * kFactor;
    return {((bits & twice(run.keep)) | twice(run.set)) ^ twice(flip)};
  }
  void add_difference(const Value& a, const Value& b) { word |= a.word ^ b.word; }
  bool any() const { return (word[0] | word[1] | word[2] | word[3]) != 0; }

 private:
  static Word twice(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits),
               high = static_cast<std::uint32_t>(bits >> 32);
    return Word{low, high, low, high};
  }
};

template <std::size_t bytes>
Value<bytes> value_at(const std::byte* address) {
  Value<bytes> value;
  std::memcpy(&value.word, address, bytes);
  return value;
}

}  // namespace xpose
