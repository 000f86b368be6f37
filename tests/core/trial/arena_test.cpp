#include "trial/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "../pattern/odd_problems.hpp"
#include "arena_fixture.hpp"
#include "problem/normal_form.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

Problem padded() {
  Problem problem = matrix(33, 21, 4);
  problem.in_ld = 24;
  problem.out_ld = 40;
  problem.batch = {{2, 1000, 1000}};
  return normal_form(problem);
}

// A right transpose, then one piece of damage; what the check finds.
Outcome damaged(const Problem& problem, const std::function<void(std::byte*, std::byte*)>& damage) {
  Arena arena(backend(Device{}), problem, 1);
  auto* in = static_cast<std::byte*>(const_cast<void*>(arena.in(0)));
  auto* out = static_cast<std::byte*>(arena.out(0));
  arena.poison(0);
  reference_transpose(problem, in, out);
  damage(in, out);
  return arena.check_transpose(0);
}

TEST(Arena, AcceptsWhatIsRight) {
  EXPECT_EQ(damaged(padded(), [](auto*, auto*) {}).verdict, Verdict::ok);
}

TEST(Arena, SeesASingleWrongElementAndNamesIt) {
  const Outcome outcome = damaged(padded(), [](std::byte*, std::byte* out) {
    std::memcpy(out + 4 * (1000 + 40 * 7 + 5), out, 4);  // batch 1, column 7, row 5
  });
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(outcome.detail,
            "out[1;7,5] should be in[5,7], input element 1127; found input element 0");
}

TEST(Arena, SeesAWrongPartOfAFatElement) {
  Problem problem = matrix(9, 7, 48);
  problem.out_ld = 12;
  problem = normal_form(problem);
  const auto outcome = [&](std::ptrdiff_t to, std::ptrdiff_t from) {
    return damaged(problem, [&](std::byte*, std::byte* out) {
      std::memcpy(out + 16 * to, out + 16 * from, 16);
    });
  };
  const std::ptrdiff_t element = (12 * 2 + 5) * 3;  // column 2, row 5
  EXPECT_EQ(outcome(element + 1, element + 2).detail,
            "bytes 16 to 31 of out[2,5] should be in[5,2], bytes 16 to 31 of input element 37; "
            "found bytes 32 to 47 of input element 37");
  EXPECT_EQ(outcome(element + 2, 2).detail,
            "bytes 32 to 47 of out[2,5] should be in[5,2], bytes 32 to 47 of input element 37; "
            "found bytes 32 to 47 of input element 0");
  EXPECT_EQ(outcome(3 * 9, 0).detail, "wrote into the gap behind out[0,8], which holds no element");
}

TEST(Arena, ChecksCopiesOfFatElements) {
  const Problem problem = normal_form(matrix(9, 7, 48));
  Arena arena(backend(Device{}), problem, 1);
  std::memcpy(arena.copy_out(0), arena.copy_in(0), std::size_t{9} * 7 * 48 - 1);
  EXPECT_EQ(arena.check_copy(0).detail, "byte 3023 was not copied");
  std::memcpy(arena.copy_out(0), arena.copy_in(0), std::size_t{9} * 7 * 48);
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::ok);
}

TEST(Arena, SeesWhatWasNotWritten) {
  const Problem problem = padded();
  Arena arena(backend(Device{}), problem, 1);
  arena.poison(0);
  const Outcome outcome = arena.check_transpose(0);
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(outcome.detail, "out[0;0,0] should be in[0,0], but was not written");
}

TEST(Arena, SeesAByteBeforeAndAfterTheOutput) {
  const auto end = static_cast<std::ptrdiff_t>(out_span(padded()) * 4);
  Outcome outcome = damaged(padded(), [](std::byte*, std::byte* out) { out[-1] ^= std::byte{1}; });
  EXPECT_EQ(outcome.verdict, Verdict::wrote_outside);
  EXPECT_EQ(outcome.detail, "wrote 1 bytes before the output");
  outcome = damaged(padded(), [&](std::byte*, std::byte* out) { out[end] ^= std::byte{1}; });
  EXPECT_EQ(outcome.verdict, Verdict::wrote_outside);
  EXPECT_EQ(outcome.detail, "wrote 0 bytes past the output's end");
}

TEST(Arena, SeesWritesIntoTheGapsBetweenRows) {
  const Outcome outcome =
      damaged(padded(), [](std::byte*, std::byte* out) { out[4 * 35] = std::byte{0}; });
  EXPECT_EQ(outcome.verdict, Verdict::wrote_outside);
  EXPECT_EQ(outcome.detail, "wrote into the gap behind out[0;0,32], which holds no element");
}

TEST(Arena, SeesAModifiedInput) {
  const Outcome outcome =
      damaged(padded(), [](std::byte* in, std::byte*) { in[17] ^= std::byte{1}; });
  EXPECT_EQ(outcome.verdict, Verdict::modified_input);
  EXPECT_EQ(outcome.detail, "changed the byte 17 of the input");
}

TEST(Arena, SeesBothEndsOfTheWorkspace) {
  for (const std::ptrdiff_t offset : {-1, 512}) {
    const Problem problem = padded();
    Arena arena(backend(Device{}), problem, 1);
    auto* workspace = static_cast<std::byte*>(arena.workspace(512));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(workspace) % 256, 0U);
    reference_transpose(problem, static_cast<const std::byte*>(arena.in(0)),
                        static_cast<std::byte*>(arena.out(0)));
    EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::ok);
    workspace[offset] ^= std::byte{1};
    EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::wrote_outside);
  }
}

// What divides an address, up to 256.
std::uintptr_t alignment_of(const void* pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer) | 256;
  return address & -address;
}

TEST(Arena, AddressesAreAlignedExactlyAsTheProblemSays) {
  for (const std::uint32_t aligned : {1U, 2U, 4U, 16U, 128U, 256U})
    for (const std::int64_t cols : {64, 65}) {
      Problem problem = matrix(64, cols, 1);
      problem.in_alignment = aligned;
      problem.out_alignment = 256;
      const Arena arena(backend(Device{}), normal_form(problem), 2);
      EXPECT_EQ(alignment_of(arena.in(1)), aligned);
      EXPECT_EQ(alignment_of(arena.out(1)), 256U);
    }
}

// Callers' buffers begin at multiples of 256 bytes, however short the axes are.
TEST(Arena, AxesThatKeepNoAlignmentMoveNoBuffer) {
  const std::vector<std::int64_t> pixels = {32, 32, 3}, bits(12, 2);
  const std::vector<int> planar = {2, 0, 1}, shuffled = {3, 7, 11, 0, 9, 5, 10, 1, 8, 2, 6, 4};
  for (Problem problem : {permutation(pixels, planar, 1), permutation(bits, shuffled, 8)}) {
    problem.in_alignment = problem.out_alignment = 256;
    const Arena arena(backend(Device{}), normal_form(problem), 2);
    for (const std::size_t set : {0, 1}) {
      EXPECT_EQ(alignment_of(arena.in(set)), 256U) << to_string(problem);
      EXPECT_EQ(alignment_of(arena.out(set)), 256U) << to_string(problem);
    }
  }
}

// The address of a problem is that of element 0, and not of the lowest that is read.
TEST(Arena, AnInputThatIsReadBackwardsIsAlignedAtItsFirstElement) {
  for (const std::uint32_t aligned : {1U, 16U, 256U}) {
    Problem problem = matrix(9, 7, 1);
    problem.in_ld = -11;
    problem.in_alignment = aligned;
    const Arena arena(backend(Device{}), normal_form(problem), 1);
    EXPECT_EQ(alignment_of(arena.in(0)), aligned);
  }
}

TEST(Arena, ChecksCopies) {
  const Problem problem = padded();
  const auto bytes = static_cast<std::size_t>(element_count(problem)) * 4;
  Arena arena(backend(Device{}), problem, 1);
  arena.poison(0);
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::wrong_result);
  std::memcpy(arena.copy_out(0), arena.copy_in(0), bytes);
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::ok);
  static_cast<std::byte*>(arena.copy_out(0))[bytes] ^= std::byte{1};
  EXPECT_EQ(arena.check_copy(0).verdict, Verdict::wrote_outside);
}

TEST(Arena, RestoreMendsDamage) {
  const Problem problem = padded();
  Arena arena(backend(Device{}), problem, 1);
  static_cast<std::byte*>(const_cast<void*>(arena.in(0)))[3] ^= std::byte{1};
  static_cast<std::byte*>(arena.out(0))[-1] ^= std::byte{1};
  arena.restore(0);
  reference_transpose(problem, static_cast<const std::byte*>(arena.in(0)),
                      static_cast<std::byte*>(arena.out(0)));
  EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::ok);
}

// ------------------------------------------------------------------------------------------ spots

std::vector<Problem> spotted_problems(std::uint32_t bytes) {
  std::vector<Problem> problems = odd_problems(bytes);
  problems.push_back(in_place(bytes));
  problems.push_back(matrix(2, 2, bytes));
  problems.back().in_place = true;
  problems.push_back(matrix(9, 7, bytes));
  problems.back().in_ld = -11;
  problems.push_back(matrix(5, 3, bytes));
  problems.back().out_ld = -8;
  problems.back().batch = {{4, -20, 30}, {3, 0, -130}};
  for (Problem problem : {problems[problems.size() - 2], problems.back()}) {
    problem.in_alignment = problem.out_alignment = 256;  // more than their rows have
    problems.push_back(problem);
  }
  for (Problem& problem : problems) problem = normal_form(problem);
  std::erase_if(problems, [](const Problem& problem) { return element_count(problem) == 0; });
  return problems;
}

void transpose(Arena& arena, const Problem& problem, std::size_t set) {
  const std::int64_t before = -in_low(problem) * problem.element_bytes;
  const auto* lowest = static_cast<const std::byte*>(arena.in(set)) - before;
  const std::vector<std::byte> copy(
      lowest, lowest + static_cast<std::size_t>(in_span(problem)) * problem.element_bytes);
  reference_transpose(problem, copy.data() + before, static_cast<std::byte*>(arena.out(set)));
}

// Whatever the output held before, and however often: the input is as it was each time.
TEST(Arena, SpotsAreRightAfterATransposeAndWrongWithout) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 48U})
    for (const Content content : {Content::bits, Content::numbers})
      for (const Problem& problem : spotted_problems(bytes)) {
        if (content == Content::numbers && (bytes < 4 || bytes > 16)) continue;
        Arena arena(backend(Device{}), problem, 2);
        arena.hold(content);
        for (std::uint64_t seed = 1; seed < 5; ++seed) {
          const auto changed = [&] {
            return arena.change_spots(arena.spots(Arena::Launched::transpose, 1, 2, 20), seed);
          };
          EXPECT_NE(arena.check_spots(changed(), Arena::Launched::transpose).detail, "");
          const Spots spots = changed();
          for (const std::size_t set : {0, 1}) transpose(arena, problem, set);
          EXPECT_EQ(arena.check_spots(spots, Arena::Launched::transpose).detail, "");
        }
        arena.poison(0);
        transpose(arena, problem, 0);
        EXPECT_EQ(arena.check_transpose(0).detail, "") << to_string(problem);
      }
}

TEST(Arena, SpotsOfCopiesLieInTheirBytes) {
  for (const Problem& problem : spotted_problems(4)) {
    const auto bytes = static_cast<std::size_t>(element_count(problem)) * 4;
    Arena arena(backend(Device{}), problem, 1);
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      const Spots spots = arena.change_spots(arena.spots(Arena::Launched::copy, 0, 1, 20), seed);
      std::memcpy(arena.copy_out(0), arena.copy_in(0), bytes);
      EXPECT_EQ(arena.check_spots(spots, Arena::Launched::copy).detail, "");
    }
    arena.poison(0);
    std::memcpy(arena.copy_out(0), arena.copy_in(0), bytes);
    EXPECT_EQ(arena.check_copy(0).detail, "") << to_string(problem);
  }
}

}  // namespace
}  // namespace xpose
