// Permutations drawn at random: any rank, order, strides and element size, with the result of a
// loop over the axes. XPOSE_PROBLEMS says how many, XPOSE_SEED draws the same again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace xpose {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// By which strategies, and how often.
inline void print_served(std::uint64_t problems, std::uint64_t seed,
                         const std::map<std::string, std::uint64_t>& served) {
  std::string text;
  for (const auto& [name, count] : served) text += ' ' + name + ' ' + std::to_string(count);
  std::printf("%llu problems, seed %llu, served by%s\n", static_cast<unsigned long long>(problems),
              static_cast<unsigned long long>(seed), text.c_str());
}

// A permutation as a caller states it, with buffers around what it reads and writes.
struct Case {
  std::vector<std::int64_t> shape, in_strides, out_strides;
  std::vector<int> axes;
  std::uint32_t bytes = 1;
  std::vector<std::byte> in, out, wanted;
  std::size_t in_begin = 0, out_begin = 0;  // offsets of element 0

  std::string text() const {
    std::string all = std::to_string(bytes) + " bytes:";
    for (std::size_t i = 0; i < shape.size(); ++i)
      all += ' ' + std::to_string(shape[i]) + '(' + std::to_string(in_strides[i]) + ')';
    all += " to";
    for (std::size_t i = 0; i < shape.size(); ++i)
      all += ' ' + std::to_string(axes[i]) + '(' + std::to_string(out_strides[i]) + ')';
    return all;
  }
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  bool one_in(std::int64_t n) { return below(n) == 0; }

  Case next() {
    Case made;
    made.bytes = element_bytes();
    draw_shape(made);
    finish(made);
    return made;
  }

  // Matrices of up to 4 MB, or the exchange of two axes that others lie between.
  Case next_large() {
    Case made;
    made.bytes = static_cast<std::uint32_t>(one_in(2) ? 1 + below(16) : 1 << below(5));
    const std::int64_t rows = 16 + below(900), cols = 16 + below(900), bytes = 4'000'000;
    const std::int64_t most = std::max<std::int64_t>(bytes / (rows * cols * made.bytes), 1);
    const std::int64_t count = one_in(2) ? 1 : 1 + below(std::min<std::int64_t>(most, 40));
    const bool between = one_in(2);
    made.shape = between ? std::vector{rows, count, cols} : std::vector{count, rows, cols};
    made.axes = between ? std::vector{2, 1, 0} : std::vector{0, 2, 1};
    finish(made);
    return made;
  }

  // Of 4 MB, whose extents are powers of two: rows that fall into one set of a cache.
  Case next_of_powers_of_two() {
    Case made;
    made.bytes = static_cast<std::uint32_t>(1 << below(5));
    made.shape = {64};
    for (std::int64_t left = 65536 / made.bytes; left > 1; left /= made.shape.back())
      made.shape.push_back(std::min<std::int64_t>(left, 1 << (1 + below(7))));
    made.axes.resize(made.shape.size());
    std::iota(made.axes.rbegin(), made.axes.rend(), 0);
    if (one_in(2)) std::shuffle(made.axes.begin(), made.axes.end() - 1, random_);
    finish(made);
    return made;
  }

 private:
  void finish(Case& made) {
    made.in_strides = strides(made.shape, false);
    for (std::int64_t& stride : made.in_strides)
      if (one_in(12)) stride = one_in(2) ? 0 : below(5) - 2;  // repeats, or overlaps
    std::vector<std::int64_t> permuted;
    for (const int axis : made.axes) permuted.push_back(made.shape[static_cast<std::size_t>(axis)]);
    made.out_strides = strides(permuted, one_in(8));
    made.in_begin = buffer(made.in, made.shape, made.in_strides, made.bytes);
    made.out_begin = buffer(made.out, permuted, made.out_strides, made.bytes);
    for (std::byte& byte : made.in) byte = static_cast<std::byte>(random_());
    for (std::byte& byte : made.out) byte = static_cast<std::byte>(random_());
    permute(made);
  }

  std::uint32_t element_bytes() {
    constexpr std::uint32_t kCommon[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 48};
    return one_in(3) ? static_cast<std::uint32_t>(1 + below(256)) : kCommon[below(10)];
  }

  void draw_shape(Case& made) {
    const std::int64_t rank = below(11);
    std::int64_t left = std::max<std::int64_t>(40'000 / made.bytes, 8);
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t most = std::min<std::int64_t>(left, one_in(3) ? 70 : one_in(2) ? 9 : 3);
      made.shape.push_back(1 + below(most));
      left = std::max<std::int64_t>(left / made.shape.back(), 1);
    }
    made.axes.resize(made.shape.size());
    std::iota(made.axes.begin(), made.axes.end(), 0);
    if (!one_in(20)) std::ranges::shuffle(made.axes, random_);
    // An axis that stays innermost.
    if (rank > 1 && one_in(4)) {
      std::iter_swap(std::ranges::find(made.axes, static_cast<int>(rank) - 1), made.axes.end() - 1);
      if (made.bytes <= 64 && 64 % made.bytes == 0 && one_in(2)) keep_whole_lines(made);
    }
  }

  // The last axis, in place of any other extent, where the rest is small.
  void keep_whole_lines(Case& made) {
    const std::int64_t all = std::accumulate(made.shape.begin(), made.shape.end() - 1,
                                             std::int64_t{made.bytes}, std::multiplies<>());
    const std::int64_t run = 64 / made.bytes * (1 + below(3));
    if (all * run <= 80'000) made.shape.back() = run;
  }

  // Of axes that lie in each other in any order, dense or with gaps, forwards or backwards. Two of
  // coprime extents, which come one after the other, may interlock.
  std::vector<std::int64_t> strides(const std::vector<std::int64_t>& shape, bool may_interlock) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (one_in(4)) std::ranges::shuffle(order, random_);
    const bool has_gaps = one_in(2), turns = one_in(2);
    std::vector<std::int64_t> made(shape.size());
    std::int64_t stride = has_gaps && one_in(8) ? 2 : 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int64_t extent = shape[order[i]];
      const bool is_last = i + 1 == order.size();
      if (may_interlock && !is_last && std::gcd(extent, shape[order[i + 1]]) == 1) {
        made[order[i]] = stride * shape[order[i + 1]];
        made[order[i + 1]] = stride * extent;
        stride *= 2 * extent * shape[order[i + 1]];
        may_interlock = ++i + 1 < order.size() && one_in(2);
        continue;
      }
      made[order[i]] = turns && one_in(3) ? -stride : stride;
      stride *= extent;
      if (has_gaps && one_in(3)) stride += below(9);
    }
    return made;
  }

  std::size_t buffer(std::vector<std::byte>& bytes, const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& strides, std::uint32_t size) {
    std::int64_t low = 0, high = 1;
    for (std::size_t i = 0; i < shape.size(); ++i)
      (strides[i] < 0 ? low : high) += (shape[i] - 1) * strides[i];
    const std::int64_t begin = 64 + (one_in(2) ? 0 : below(64));
    bytes.resize(static_cast<std::size_t>(begin + (high - low) * size + 64));
    return static_cast<std::size_t>(begin - low * size);
  }

  static void permute(Case& made) {
    made.wanted = made.out;
    const std::size_t rank = made.shape.size();
    if (std::ranges::find(made.shape, 0) != made.shape.end()) return;
    std::vector<std::int64_t> index(rank, 0);
    for (;;) {
      std::int64_t from = 0, to = 0;
      for (std::size_t i = 0; i < rank; ++i) {
        from += index[i] * made.in_strides[i];
        to += index[static_cast<std::size_t>(made.axes[i])] * made.out_strides[i];
      }
      std::memcpy(made.wanted.data() + static_cast<std::int64_t>(made.out_begin) + to * made.bytes,
                  made.in.data() + static_cast<std::int64_t>(made.in_begin) + from * made.bytes,
                  made.bytes);
      std::size_t axis = 0;
      while (axis < rank && ++index[axis] == made.shape[axis]) index[axis++] = 0;
      if (axis == rank) return;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace xpose
