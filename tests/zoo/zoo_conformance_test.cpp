// Host plugins whose output is right in every trial, but that do harm beside it: the conformance
// suite says what.
#include <gtest/gtest.h>

#include "enclosure.hpp"
#include "improper.hpp"

namespace xpose::zoo {
namespace {

class Conformance : public testing::TestWithParam<Improper> {};

TEST_P(Conformance, SaysWhatIsNotProper) { expect_found(GetParam()); }

Improper at_exit(const std::string& name, Verdict verdict, const std::string& words) {
  return {name, verdict, {words, "at exit", "last words of " + name}, true};
}

const std::vector<Improper> kAnimals = {
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
INSTANTIATE_TEST_SUITE_P(Host, Conformance, testing::ValuesIn(kAnimals),
                         [](const auto& info) { return info.param.name; });

TEST(ConformanceAlone, ARightPluginIsRight) {
  const Enclosure enclosure(std::filesystem::path(XPOSE_PLUGINS) / "host_naive.so", {});
  for (const char* strategy : {"host_naive_row", "host_naive_col"})
    for (const ConformanceCase& one : failures(enclosure.file(), strategy))
      ADD_FAILURE() << to_string(one.variant) << " on " << to_string(one.problem) << ": "
                    << to_string(one.verdict) << ": " << one.detail;
}

TEST(ConformanceAlone, NoAnimalIsForgotten) { expect_none_forgotten(kAnimals); }

}  // namespace
}  // namespace xpose::zoo
