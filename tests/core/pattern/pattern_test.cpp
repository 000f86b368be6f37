#include "pattern/pattern.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "odd_problems.hpp"
#include "pattern/pattern_chunk.hpp"
#include "problem/normal_form.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

std::vector<std::byte> image(const Pattern& pattern) {
  std::vector<std::byte> bytes(pattern.bytes);
  fill_pattern(pattern, bytes.data(), 0, pattern.bytes);
  return bytes;
}

// Eigen's transpose of the filled input, among guard bytes.
std::vector<std::byte> eigen_image(const Problem& normal, std::uint64_t bytes,
                                   std::uint64_t begin) {
  std::vector<std::byte> in(static_cast<std::size_t>(
      std::max(in_span(normal), element_count(normal)) * normal.element_bytes));
  fill_pattern(input_pattern(normal, in.size(), 0), in.data(), 0, in.size());
  std::vector<std::byte> out(bytes, std::byte{kGuardByte});
  reference_transpose(normal, in.data(), out.data() + begin);
  return out;
}

struct Layout {
  Problem normal;
  Pattern pattern;
};
std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 32U, 48U, 256U})
    for (const Problem& problem : odd_problems(bytes))
      for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{101}}) {
        const Problem normal = normal_form(problem);
        const std::uint64_t size =
            begin + static_cast<std::uint64_t>(out_span(normal)) * bytes + 77;
        all.push_back({normal, output_pattern(normal, size, begin)});
      }
  return all;
}

TEST(Pattern, TheOutputsIsEigensTransposeOfTheInputs) {
  for (const auto& [normal, pattern] : layouts())
    EXPECT_EQ(image(pattern), eigen_image(normal, pattern.bytes, pattern.begin))
        << to_string(normal);
}

TEST(Pattern, APoisonedOutputDiffersInEveryByteOfEveryElementAndNowhereElse) {
  for (const auto& [normal, pattern] : layouts()) {
    Pattern poison = pattern;
    poison.flip = ~std::uint64_t{0};
    const auto right = image(pattern);
    const auto poisoned = image(poison);
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      differing += right[i] != poisoned[i] ? 1 : 0;
      EXPECT_TRUE(right[i] == ~poisoned[i] ||
                  (right[i] == poisoned[i] && right[i] == std::byte{kGuardByte}));
    }
    EXPECT_EQ(differing, static_cast<std::uint64_t>(element_count(normal)) * normal.element_bytes);
  }
}

std::vector<Problem> squares(std::uint32_t bytes) {
  std::vector<Problem> problems = {matrix(2, 2, bytes), matrix(67, 67, bytes),
                                   matrix(300, 300, bytes)};
  problems.push_back(matrix(21, 21, bytes));
  problems.back().in_ld = problems.back().out_ld = 24;
  problems.back().batch = {{2, 1000, 1000}};
  for (Problem& problem : problems) problem.in_place = true;
  return problems;
}

// In place: what is expected is the transpose of what was there, and every element that has to move
// differs from what was there.
TEST(Pattern, InPlaceEveryElementThatMovesDiffers) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 32U, 48U})
    for (const Problem& problem : squares(bytes)) {
      const Problem normal = normal_form(problem);
      const std::uint64_t size = 3 + static_cast<std::uint64_t>(out_span(normal)) * bytes + 5;
      const Pattern before = in_place_pattern(normal, size, 3);
      const Pattern after = output_pattern(normal, size, 3);
      const auto in = image(before);
      std::vector<std::byte> out = in;
      reference_transpose(normal, in.data() + 3, out.data() + 3);
      EXPECT_EQ(image(after), out) << to_string(normal);
      EXPECT_FALSE(pattern_difference(after, out.data(), 0, size));
      std::int64_t moved = 0;
      const std::int64_t parts = parts_of_element(normal);
      for (std::int64_t at = 0; at < out_span(normal) * parts; ++at)
        if (run_at(after, at).is_element) moved += element_at(after, at) != element_at(before, at);
      const std::int64_t batches = normal.batch.empty() ? 1 : normal.batch[0].extent;
      EXPECT_EQ(moved, normal.rows * (normal.rows - 1) * batches * parts) << to_string(normal);
    }
}

// What a kernel computes for its 16 bytes is what the processors write there.
TEST(Pattern, ChunksAreTheImage) {
  auto all = layouts();
  for (const std::uint32_t bytes : {1U, 2U, 16U, 48U})
    for (const Problem& problem : squares(bytes)) {
      const Problem normal = normal_form(problem);
      const std::uint64_t size = 101 + static_cast<std::uint64_t>(out_span(normal)) * bytes + 5;
      all.push_back({normal, in_place_pattern(normal, size, 101)});
      all.push_back({normal, output_pattern(normal, size, 101)});
    }
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    Pattern far;  // indices go beyond 2^32 within a chunk
    far.begin = 2 * bytes;
    far.element_bytes = bytes;
    far.rank = 2;
    far.dims[0] = {41, 53, 7};
    far.dims[1] = {50, 1, 399'999'959};
    far.span = 41 * 53 - 3;
    far.bytes = far.begin + static_cast<std::uint64_t>(far.span) * bytes + 77;
    all.push_back({matrix(41, 50, bytes), far});
  }
  for (auto& [normal, pattern] : all)
    for (const std::uint64_t flip : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      pattern.flip = flip;
      pattern.bytes = pattern.bytes / 16 * 16;
      const auto whole = image(pattern);
      for (std::uint64_t at = 0; at < pattern.bytes; at += 16) {
        const Bits128 chunk = pattern_chunk(pattern, at);
        ASSERT_EQ(std::memcmp(&chunk, whole.data() + at, 16), 0) << to_string(normal) << ' ' << at;
      }
    }
}

TEST(Pattern, ElementsOfFourBytesAreSoonNotNumbers) {
  int not_numbers = 0;
  for (std::int64_t i = 0; i < 64; ++i) {
    const auto bits = static_cast<std::uint32_t>(element_bits(i, 4).low);
    if (std::isnan(std::bit_cast<float>(bits))) ++not_numbers;
  }
  EXPECT_EQ(not_numbers, 47);
}

// Eigen's result with one byte wrong: every place is seen, and named exactly.
TEST(Pattern, FindsEverySingleWrongByte) {
  for (const auto& [normal, pattern] : layouts()) {
    auto buffer = eigen_image(normal, pattern.bytes, pattern.begin);
    ASSERT_FALSE(pattern_difference(pattern, buffer.data(), 0, buffer.size()));
    for (std::size_t at = 0; at < buffer.size(); at += 1 + buffer.size() / 97) {
      buffer[at] ^= std::byte{0x10};
      EXPECT_EQ(pattern_difference(pattern, buffer.data(), 0, buffer.size()), at);
      EXPECT_EQ(pattern_difference(pattern, buffer.data() + at, at, at + 1), at);
      EXPECT_FALSE(pattern_difference(pattern, buffer.data(), 0, at));
      EXPECT_FALSE(pattern_difference(pattern, buffer.data() + at + 1, at + 1, buffer.size()));
      buffer[at] ^= std::byte{0x10};
    }
  }
}

TEST(Pattern, RangesMayCutElements) {
  const Problem normal = normal_form(matrix(5, 7, 16));
  const Pattern pattern = output_pattern(normal, 600, 3);
  const auto whole = image(pattern);
  std::vector<std::byte> pieces(whole.size());
  for (std::uint64_t at = 0; at < pieces.size(); at += 5)
    fill_pattern(pattern, pieces.data() + at, at, std::min<std::uint64_t>(at + 5, pieces.size()));
  EXPECT_EQ(pieces, whole);
}

// Large enough for several threads: the first of two differences counts, whoever finds it.
TEST(Pattern, FindsTheFirstDifferenceOfALargeBuffer) {
  const Problem normal = normal_form(matrix(2048, 2049, 4));
  const Pattern pattern = output_pattern(normal, (std::uint64_t{2048} * 2049 * 4) + 512, 256);
  auto buffer = image(pattern);
  EXPECT_EQ(buffer, eigen_image(normal, pattern.bytes, pattern.begin));
  buffer[buffer.size() - 1] ^= std::byte{1};
  EXPECT_EQ(pattern_difference(pattern, buffer.data(), 0, buffer.size()), buffer.size() - 1);
  buffer[9'000'001] ^= std::byte{1};
  EXPECT_EQ(pattern_difference(pattern, buffer.data(), 0, buffer.size()), 9'000'001U);
  buffer[5] ^= std::byte{1};
  EXPECT_EQ(pattern_difference(pattern, buffer.data(), 0, buffer.size()), 5U);
}

// Several short rows are made at once: every width, cut anywhere, the index beyond 2^32 as well.
TEST(Pattern, ShortRowsAreTheirElements) {
  for (const std::uint32_t size : {1U, 2U, 4U, 8U, 16U})
    for (std::int64_t width = 2; width < 80; ++width) {
      Pattern pattern;
      pattern.begin = 37;
      pattern.element_bytes = size;
      pattern.rank = 3;
      pattern.dims[0] = {2, 301 * width, 5};
      pattern.dims[1] = {300, width, std::int64_t{1} << 25};  // one row of the gap is left
      pattern.dims[2] = {width, 1, 9'999'991};
      pattern.span = 601 * width;
      pattern.bytes = 37 + static_cast<std::uint64_t>(pattern.span) * size + 11;
      std::vector<std::byte> wanted(pattern.bytes, std::byte{kGuardByte});
      for (std::int64_t at = 0; at < pattern.span; ++at) {
        if (!run_at(pattern, at).is_element) continue;
        const ElementBits bits = element_at(pattern, at);
        std::memcpy(wanted.data() + 37 + at * size, &bits, size);
      }
      ASSERT_EQ(image(pattern), wanted) << width;
      const std::uint64_t from = pattern.bytes / 3 + 1;
      ASSERT_FALSE(pattern_difference(pattern, wanted.data() + from, from, pattern.bytes));
      for (std::uint64_t at = from; at < pattern.bytes; at += 997) {
        wanted[at] ^= std::byte{1};
        ASSERT_EQ(pattern_difference(pattern, wanted.data() + from, from, pattern.bytes), at);
        wanted[at] ^= std::byte{1};
      }
    }
}

TEST(Pattern, AnInputEncodesIndicesBeyond32Bits) {
  Pattern pattern;
  pattern.bytes = 4096;
  pattern.span = 1024;
  pattern.element_bytes = 4;
  pattern.rank = 1;
  pattern.dims[0] = {1024, 1, std::int64_t{1} << 31};  // indices up to 2^41
  const auto bytes = image(pattern);
  std::set<std::vector<std::byte>> values;
  for (auto at = bytes.begin(); at != bytes.end(); at += 4) values.insert({at, at + 4});
  EXPECT_EQ(values.size(), 1024U);
}

}  // namespace
}  // namespace xpose
