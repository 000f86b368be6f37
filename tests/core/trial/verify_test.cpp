#include "trial/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

TEST(ElementValue, IndicesEqualModulo32BitsDiffer) {
  const std::int64_t far = std::int64_t{1} << 32;
  for (const std::int64_t index : {0L, 1L, 12345L, 0xffffffffL}) {
    EXPECT_NE(element_bits(index, 4).low, element_bits(index + far, 4).low) << index;
  }
}

// The number that encodes an index, zeros behind it.
std::array<std::byte, 16> number_value(std::int64_t index, std::uint32_t bytes) {
  Pattern pattern;
  pattern.element_bytes = bytes;
  pattern.span = 2;
  pattern.rank = 1;
  pattern.dims[0] = {2, 1, index};  // of element 1
  hold_numbers(pattern);
  const ElementBits bits = element_at(pattern, 1);
  std::array<std::byte, 16> value{};
  std::memcpy(value.data(), &bits, bytes);
  return value;
}

TEST(NumberValue, NumbersAreNormalAndDiffer) {
  for (const std::uint32_t bytes : {4U, 8U, 16U}) {
    std::set<std::array<std::byte, 16>> met;
    for (const std::int64_t index :
         {0L, 1L, 0x7fffffL, 0x800000L, 0x1fffffffL, 1L << 32, (1L << 32) + 1, 1L << 40}) {
      EXPECT_TRUE(met.insert(number_value(index, bytes)).second) << index << " of " << bytes;
    }
    for (std::int64_t index = 0; index < 1 << 18; ++index) {
      const std::array<std::byte, 16> value = number_value(index * 8191, bytes);
      if (bytes == 4) {
        float number = 0;
        std::memcpy(&number, value.data(), 4);
        ASSERT_TRUE(std::isnormal(number)) << index;
      }
      for (std::size_t at = 0; bytes >= 8 && at < bytes; at += 8) {
        double number = 0;
        std::memcpy(&number, value.data() + at, 8);
        ASSERT_TRUE(std::isnormal(number)) << index;
      }
    }
  }
}

TEST(ElementValue, DescribesTheElementItCameFrom) {
  const ElementBits bits = element_bits(77, 16);
  const auto* value = reinterpret_cast<const std::byte*>(&bits);
  EXPECT_EQ(describe_value(value, 4, 100), "input element 77");
  EXPECT_EQ(describe_value(value, 16, 100), "input element 77");
  EXPECT_EQ(describe_value(value, 4, 70).substr(0, 6), "bytes ");
  const std::byte bytes[] = {std::byte{0xab}, std::byte{0x01}};
  EXPECT_EQ(describe_value(bytes, 2, 100), "bytes ab01");
  EXPECT_EQ(describe_value(value, 16, 26, 3), "bytes 32 to 47 of input element 25");
  EXPECT_EQ(describe_value(value, 16, 25, 3).substr(0, 6), "bytes ");
}

// What tells 16-byte parts of fat elements apart: those of one element, and those of others.
TEST(ElementValue, EveryPartOfAFatElementIsOnesOwn) {
  const Pattern input = input_pattern(normal_form(matrix(9, 7, 48)), std::uint64_t{63} * 48, 0);
  std::set<std::pair<std::uint64_t, std::uint64_t>> met;
  ASSERT_EQ(input.span, 63 * 3);
  for (std::int64_t part = 0; part < input.span; ++part) {
    const ElementBits bits = element_at(input, part);
    EXPECT_TRUE(met.insert({bits.low, bits.high}).second) << part;
  }
}

// Eigen against the definition, element by element, over every form a problem takes.
TEST(ReferenceTranspose, IsTheDefinition) {
  std::vector<Problem> problems;
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 32U, 48U, 256U}) {
    problems.push_back(matrix(1, 1, bytes));
    problems.push_back(matrix(130, 67, bytes));
    problems.push_back(matrix(5, 300, bytes));
    problems.push_back(matrix(33, 65, bytes));
    problems.back().in_ld = 70;
    problems.back().out_ld = 40;
    problems.push_back(matrix(7, 9, bytes));
    problems.back().batch = {{3, 70, 130}, {2, 1, 65}};
  }
  for (const Problem& problem : problems) {
    const Problem normal = normal_form(problem);
    const std::size_t bytes = normal.element_bytes;
    std::vector<std::byte> in(static_cast<std::size_t>(in_span(normal)) * bytes);
    const Pattern input = input_pattern(normal, in.size(), 0);
    fill_pattern(input, in.data(), 0, in.size());
    const std::vector<std::byte> blank(static_cast<std::size_t>(out_span(normal)) * bytes);
    std::vector<std::byte> expected = blank;
    std::vector<std::byte> actual = blank;
    BatchDim one{1, 0, 0};
    const BatchDim& a = !normal.batch.empty() ? normal.batch[0] : one;
    const BatchDim& b = normal.batch.size() > 1 ? normal.batch[1] : one;
    for (std::int64_t i = 0; i < a.extent; ++i)
      for (std::int64_t j = 0; j < b.extent; ++j)
        for (std::int64_t r = 0; r < normal.rows; ++r)
          for (std::int64_t c = 0; c < normal.cols; ++c) {
            const std::int64_t from = i * a.in_stride + j * b.in_stride + r * normal.in_ld + c;
            const std::int64_t to = i * a.out_stride + j * b.out_stride + c * normal.out_ld + r;
            std::memcpy(&expected[static_cast<std::size_t>(to) * bytes],
                        &in[static_cast<std::size_t>(from) * bytes], bytes);
          }
    reference_transpose(normal, in.data(), actual.data());
    EXPECT_EQ(actual, expected) << to_string(normal);
  }
}

TEST(LocateOutput, InvertsTheLayout) {
  Problem problem = matrix(7, 9, 4);
  problem.out_ld = 8;
  problem.batch = {{3, 63, 100}};
  const Problem normal = normal_form(problem);
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t c = 0; c < 9; ++c)
      for (std::int64_t r = 0; r < 7; ++r) {
        const OutputPosition at = locate_output(normal, b * 100 + c * 8 + r);
        EXPECT_TRUE(at.is_element);
        EXPECT_EQ(at.row, r);
        EXPECT_EQ(at.col, c);
        EXPECT_EQ(at.batch[0], b);
        EXPECT_EQ(at.in_index, b * 63 + r * 9 + c);
      }
  EXPECT_FALSE(locate_output(normal, 7).is_element);
  EXPECT_FALSE(locate_output(normal, 99).is_element);
}

}  // namespace
}  // namespace xpose
