#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "arena_fixture.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

// Moves the buffer's elements, all but those that `leave(row, col)` names.
template <class Leave>
void transpose_in_place(const Problem& problem, std::byte* data, const Leave& leave) {
  const auto at = [&](std::int64_t b, std::int64_t r, std::int64_t c) {
    return data + (b * 1000 + r * problem.in_ld + c) * problem.element_bytes;
  };
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t r = 0; r < problem.rows; ++r)
      for (std::int64_t c = 0; c < r; ++c)
        if (!leave(r, c))
          std::swap_ranges(at(b, r, c), at(b, r, c) + problem.element_bytes, at(b, c, r));
}

TEST(Arena, InPlaceIsOneBufferThatBeginsAsTheInput) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 48U}) {
    const Problem problem = in_place(bytes);
    Arena arena(backend(Device{}), problem, 2);
    auto* data = static_cast<std::byte*>(arena.out(1));
    EXPECT_EQ(arena.in(1), data);
    for (int times = 0; times < 3; ++times) {  // whatever the content was
      arena.poison(1);
      transpose_in_place(problem, data, [](auto, auto) { return false; });
      EXPECT_EQ(arena.check_transpose(1).verdict, Verdict::ok);
    }
    transpose_in_place(problem, data, [](auto, auto) { return false; });  // and back
    EXPECT_EQ(arena.check_transpose(1).verdict, Verdict::wrong_result);
  }
}

TEST(Arena, InPlaceSeesEveryElementThatWasNotMoved) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 48U}) {
    const Problem problem = in_place(bytes);
    Arena arena(backend(Device{}), problem, 1);
    for (std::int64_t row = 1; row < 21; ++row)
      for (std::int64_t col = 0; col < row; ++col) {
        arena.poison(0);
        transpose_in_place(problem, static_cast<std::byte*>(arena.out(0)),
                           [&](auto r, auto c) { return r == row && c == col; });
        const Outcome outcome = arena.check_transpose(0);
        ASSERT_EQ(outcome.verdict, Verdict::wrong_result) << row << ' ' << col;
        const std::string part = bytes > 16 ? "bytes 0 to 15 of " : "";
        const std::string at = std::to_string(col) + ',' + std::to_string(row);
        const std::string from = std::to_string(row) + ',' + std::to_string(col);
        ASSERT_EQ(outcome.detail,
                  part + "out[0;" + at + "] should be in[" + from + "], but was not moved");
      }
  }
}

TEST(Arena, InPlaceSeesGapsAndGuards) {
  const Problem problem = in_place(4);
  Arena arena(backend(Device{}), problem, 1);
  const auto end = static_cast<std::ptrdiff_t>(out_span(problem) * 4);
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{-1}, std::ptrdiff_t{4 * 22}, end}) {
    arena.poison(0);
    auto* data = static_cast<std::byte*>(arena.out(0));
    transpose_in_place(problem, data, [](auto, auto) { return false; });
    data[offset] ^= std::byte{1};
    EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::wrote_outside) << offset;
  }
}

TEST(Arena, InPlaceCopiesGoFromBufferToBuffer) {
  const Problem problem = in_place(4);
  const auto bytes = static_cast<std::size_t>(element_count(problem)) * 4;
  Arena arena(backend(Device{}), problem, 1);
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::wrong_result);
  std::memcpy(arena.copy_out(0), arena.copy_in(0), bytes);
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::ok);
}

}  // namespace
}  // namespace xpose
