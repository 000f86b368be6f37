#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "normal_form_fixture.hpp"
#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

TEST(NormalForm, KeysDifferWhereverProblemsDo) {
  const Problem base = normal_form(matrix(30, 50, 4));
  std::vector<Problem> others(8, base);
  others[0].rows = 31;
  others[1].cols = 51;
  others[2].element_bytes = 8;
  others[3].in_ld = 64;
  others[4].out_ld = 64;
  others[5].batch = {{2, 1500, 1500}};
  others[6].in_alignment = 1;
  others[7].device = {DeviceKind::cuda, 0};
  for (const Problem& other : others) EXPECT_NE(key(other), key(base)) << key(other);
  EXPECT_EQ(key(base), key(normal_form(matrix(30, 50, 4))));
  for (const Problem& other : others) {
    const std::optional<Problem> again = problem_of_key(key(other));
    ASSERT_TRUE(again) << key(other);
    EXPECT_EQ(*again, other);
  }
}

// An alignment that no row keeps makes no other problem, but for whether vectors may begin there.
TEST(NormalForm, KeysOfOddRowsAreTwo) {
  Problem problem = matrix(45, 61, 1);
  std::set<std::string> keys;
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U}) {
    problem.in_alignment = problem.out_alignment = bytes;
    const std::string text = key(normal_form(problem));
    keys.insert(text);
    EXPECT_EQ(text, bytes < 16 ? "host 1 1 1 45 61 61 45" : "host 1 16 16 45 61 61 45");
    ASSERT_TRUE(problem_of_key(text));
    EXPECT_EQ(key(*problem_of_key(text)), text);
  }
  EXPECT_EQ(keys.size(), 2U);
}

TEST(NormalForm, EqualKeysAreOneProblemToAPlugin) {
  for (const std::int64_t ld : {61, 62, 64, 72, 80, 96, 128, 256}) {
    std::map<std::string, Alignment> told;
    for (std::uint32_t in = 1; in <= 256; in *= 2)
      for (std::uint32_t out = 1; out <= 256; out *= 2) {
        Problem problem = strided(45, 61, ld, ld);
        problem.element_bytes = 1;
        problem.in_alignment = in;
        problem.out_alignment = out;
        const Problem normal = normal_form(problem);
        const auto [known, is_new] = told.try_emplace(key(normal), row_alignment(normal));
        EXPECT_EQ(known->second, row_alignment(normal)) << key(normal);
      }
  }
}

TEST(NormalForm, TextsThatAreNoKeysAreNoProblems) {
  EXPECT_EQ(problem_of_key(key(square_in_place(64, 80)))->in_place, true);
  const std::string whole = key(normal_form(matrix(30, 50, 4)));
  for (std::size_t size = 0; size <= whole.rfind(' '); ++size)
    EXPECT_FALSE(problem_of_key(whole.substr(0, size))) << size;
  for (const std::string text :
       {"one 1", "host", "cuda 4 16 16 3 3 3 3", "host 4 16 16 3 3 3 3 2:9",
        "host 4 16 16 3 3 3 3 ", "host 4 16 16 3 3 3 99999999999999999999"})
    EXPECT_FALSE(problem_of_key(text)) << text;
}

}  // namespace
}  // namespace xpose
