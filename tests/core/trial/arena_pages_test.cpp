// Arenas for examinations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../pattern/odd_problems.hpp"
#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

constexpr ArenaForm kBeginsPage{ArenaForm::Edge::begins_page, false};
constexpr ArenaForm kEndsPage{ArenaForm::Edge::ends_page, true};

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(ArenaPages, BeginsAndEndsAtTheEdgeOfPages) {
  const std::uint64_t page = page_bytes();
  for (const std::uint32_t aligned : {1U, 4U, 64U, 256U})
    for (const std::int64_t cols : {1, 21, 64, 5000}) {
      Problem problem = matrix(17, cols, 4);
      problem.in_alignment = problem.out_alignment = aligned;
      problem = normal_form(problem);
      Arena first(backend(Device{}), problem, 1, kBeginsPage);
      EXPECT_EQ(address(first.in(0)) % page, 0U);
      EXPECT_EQ(address(first.out(0)) % page, 0U);
      Arena last(backend(Device{}), problem, 1, kEndsPage);
      const auto bytes = static_cast<std::uint64_t>(element_count(problem)) * 4;
      const Alignment rows = row_alignment(problem);
      EXPECT_EQ(address(last.in(0)) % rows.in, 0U);
      EXPECT_LT((0 - address(last.in(0)) - bytes) % page, rows.in);
      EXPECT_EQ(address(last.out(0)) % rows.out, 0U);
      EXPECT_LT((0 - address(last.out(0)) - bytes) % page, rows.out);
    }
}

TEST(ArenaPages, OfAnotherFormAcceptsWhatIsRightAndHasNoElementInCommon) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 16U, 48U})
    for (const Problem& problem : odd_problems(bytes)) {
      const Problem normal = normal_form(problem);
      Arena first(backend(Device{}), normal, 1, kBeginsPage);  // each is held against Eigen's
      Arena last(backend(Device{}), normal, 1, kEndsPage);
      for (const Content content : {Content::bits, Content::numbers})
        for (Arena* arena : {&first, &last}) {
          if (content == Content::numbers && (bytes < 4 || bytes > 16)) continue;
          arena->hold(content);
          EXPECT_EQ(arena->check_transpose(0).verdict, Verdict::wrong_result);
          reference_transpose(normal, static_cast<const std::byte*>(arena->in(0)),
                              static_cast<std::byte*>(arena->out(0)));
          EXPECT_EQ(arena->check_transpose(0), Outcome{}) << to_string(problem);
        }
      for (std::int64_t i = 0; i < normal.cols; ++i)
        EXPECT_NE(std::memcmp(static_cast<const std::byte*>(first.in(0)) + i * bytes,
                              static_cast<const std::byte*>(last.in(0)) + i * bytes, bytes),
                  0);
    }
}

TEST(ArenaPages, InPlaceOfAnotherFormAcceptsWhatIsRight) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 48U}) {
    Problem problem = matrix(21, 21, bytes);
    problem.in_ld = problem.out_ld = 24;
    problem.in_place = true;
    problem = normal_form(problem);
    Arena arena(backend(Device{}), problem, 1, kEndsPage);
    auto* const data = static_cast<std::byte*>(arena.out(0));
    const auto at = [&](int r, int c) { return data + std::size_t{bytes} * (24 * r + c); };
    EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::wrong_result);
    for (int r = 0; r < 21; ++r)
      for (int c = 0; c < r; ++c) std::swap_ranges(at(r, c), at(r, c) + bytes, at(c, r));
    EXPECT_EQ(arena.check_transpose(0), Outcome{});
  }
}

TEST(ArenaPages, SaysWhichPagesALaunchMustLeaveAlone) {
  Problem problem = matrix(2, 8, 4);
  const std::uint64_t page = page_bytes();
  problem.in_ld = static_cast<std::int64_t>(3 * page / 4);  // two whole pages in the gap
  problem = normal_form(problem);
  Arena arena(backend(Device{}), problem, 1, kBeginsPage);
  const auto* in = static_cast<const std::byte*>(arena.in(0));
  const auto* out = static_cast<const std::byte*>(arena.out(0));
  const auto closed = arena.closed_pages(0, Arena::Launched::transpose);
  const auto is_closed = [&](const std::byte* at, bool readable) {
    return std::ranges::any_of(closed, [&](const PageWatch::Pages& pages) {
      return at >= pages.begin && at < pages.end && pages.is_readable == readable;
    });
  };
  EXPECT_TRUE(is_closed(in, true));
  EXPECT_TRUE(is_closed(in + 3 * page, true));
  for (const std::byte* at :
       {in - 1, in + page, in + 3 * page - 1, in + 4 * page, out - 1, out + page})
    EXPECT_TRUE(is_closed(at, false)) << at - in;
  EXPECT_FALSE(is_closed(out, true) || is_closed(out, false));
  const auto said = [&](const std::byte* at) {
    return arena.explain_touch(0, Arena::Launched::transpose, at).detail;
  };
  EXPECT_EQ(said(in - 3), "touched memory 3 bytes before the input");
  EXPECT_EQ(said(in + page), "touched byte " + std::to_string(page) +
                                 " of the input, in a gap between its elements");
  EXPECT_EQ(said(in + 4 * page),
            "touched memory " + std::to_string(page - 32) + " bytes past the input's end");
  EXPECT_EQ(said(out + page),
            "touched memory " + std::to_string(page - 64) + " bytes past the output's end");
  EXPECT_EQ(said(in + 1), "wrote to the byte 1 of the input, although what lay there before");
}

TEST(ArenaPages, ASetAtNoEdgeHasNoneToLeaveAlone) {
  Arena arena(backend(Device{}), normal_form(matrix(2, 8, 4)), 1);
  EXPECT_TRUE(arena.closed_pages(0, Arena::Launched::transpose).empty());
}

}  // namespace
}  // namespace xpose
