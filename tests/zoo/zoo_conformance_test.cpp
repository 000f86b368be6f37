// Plugins whose output is right in every trial, but that do harm beside it: the conformance suite
// says what.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <sstream>
#include <xpose/conformance.hpp>

#include "enclosure.hpp"

namespace xpose::zoo {
namespace {

struct Improper {
  std::string name;
  Verdict verdict = Verdict::ok;
  std::vector<std::string> words;
  bool at_exit = false;
};
void PrintTo(const Improper& animal, std::ostream* out) { *out << animal.name; }

std::vector<ConformanceCase> failures(const std::filesystem::path& plugin,
                                      const std::string& strategy, double stage_seconds = 60) {
  ConformanceOptions options;
  options.max_elements = 6000;
  options.engine.threads = 2;
  options.engine.worker = XPOSE_TRIAL;
  options.engine.stage_seconds = stage_seconds;
  std::vector<ConformanceCase> failed;
  std::size_t right = 0;
  check_conformance(
      plugin, strategy, 4,
      [&](const ConformanceCase& one) {
        if (one.verdict == Verdict::ok) ++right;
        if (one.verdict != Verdict::ok && one.verdict != Verdict::unsupported)
          failed.push_back(one);
      },
      options);
  EXPECT_GT(right + failed.size(), 20U);
  return failed;
}

class Conformance : public testing::TestWithParam<Improper> {};

TEST_P(Conformance, SaysWhatIsNotProper) {
  const Improper& animal = GetParam();
  const Enclosure enclosure(animal_file(animal.name), {});
  const auto failed = failures(enclosure.file(), animal.name, 2);
  ASSERT_FALSE(failed.empty());
  const ConformanceCase& first = failed.front();
  EXPECT_EQ(to_string(first.verdict), to_string(animal.verdict)) << first.detail;
  EXPECT_EQ(first.at_exit, animal.at_exit);
  for (const std::string& words : animal.words)
    EXPECT_NE(first.detail.find(words), std::string::npos) << first.detail;
  expect_none_here(enclosure.visits());
  expect_nobody_left(enclosure.visits());
}

Improper at_exit(const std::string& name, Verdict verdict, const std::string& words) {
  return {name, verdict, {words, "at exit", "last words of " + name}, true};
}

const std::vector<Improper> animals = {
    {"read_before_input", Verdict::read_outside, {"touched memory 1 bytes before the input"}},
    {"read_past_input", Verdict::read_outside, {"bytes past the input's end"}},
    {"read_gap", Verdict::read_outside, {"of the input, in a gap between its elements"}},
    {"believe_gap", Verdict::wrong_result, {"with other bytes in their gaps", "should be in["}},
    {"write_input_back", Verdict::modified_input, {"wrote to the byte 1 of the input"}},
    {"share_scratch", Verdict::wrong_result, {"from two threads at once", "should be in["}},
    at_exit("crash_in_destructor", Verdict::crashed, "signal 11"),
    at_exit("crash_at_exit", Verdict::crashed, "signal 11"),
    at_exit("fail_at_exit", Verdict::exited, "exit status 3"),
    at_exit("hang_in_destructor", Verdict::timed_out, "more than 2 s"),
    at_exit("hang_at_exit", Verdict::timed_out, "more than 2 s"),
};
INSTANTIATE_TEST_SUITE_P(Host, Conformance, testing::ValuesIn(animals),
                         [](const auto& info) { return info.param.name; });

TEST(ConformanceAlone, ARightPluginIsRight) {
  const Enclosure enclosure(std::filesystem::path(XPOSE_PLUGINS) / "host_naive.so", {});
  for (const char* strategy : {"host_naive_row", "host_naive_col"})
    for (const ConformanceCase& one : failures(enclosure.file(), strategy))
      ADD_FAILURE() << to_string(one.variant) << " on " << to_string(one.problem) << ": "
                    << to_string(one.verdict) << ": " << one.detail;
}

TEST(ConformanceAlone, NoAnimalIsForgotten) {
  std::set<std::string> met;
  for (const Improper& animal : animals) met.insert(animal.name);
  std::istringstream built(ZOO_ANIMALS);
  for (std::string name; built >> name;) EXPECT_TRUE(met.contains(name)) << name;
}

}  // namespace
}  // namespace xpose::zoo
