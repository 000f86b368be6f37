// The n-th allocation fails, for every n through each call of the library.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "attempt.hpp"
#include "failing_allocator.hpp"

namespace xpose {

// How the test's parameters are printed.
// NOLINTBEGIN(readability-identifier-naming): GoogleTest's name
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
void PrintTo(Failing failing, std::ostream* out) {
  *out << (failing == Failing::once ? "once" : "from then on");
}
// NOLINTEND(readability-identifier-naming)

namespace {

// A short table in place of those installed: each attempt reads it.
const int kHasShortTable = ::setenv("XPOSE_TABLE_PATH", XPOSE_SHORT_TABLE, 1);

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// What was found, by kind rather than by point, so that one fault shows once.
class Complaints {
 public:
  void add(const std::string& complaint, std::uint64_t nth) {
    if (!complaint.empty()) found_[complaint].push_back(nth);
  }
  std::string text() const {
    std::string text;
    for (const auto& [complaint, points] : found_) {
      text += "\n  " + complaint + ", at allocation";
      for (std::size_t i = 0; i < std::min<std::size_t>(points.size(), 5); ++i)
        text += ' ' + std::to_string(points[i]);
      if (points.size() > 5) text += " and " + std::to_string(points.size() - 5) + " more";
    }
    return text;
  }

 private:
  std::map<std::string, std::vector<std::uint64_t>> found_;
};

// What a child process finds, in memory that it shares.
struct Outcome {
  bool reached = false;
  std::int64_t growth = 0;  // allocations that the last attempt did not free
  char complaint[500] = "";
};

// Attempts in a process of their own: an end of it shows, and so does nothing else of it. Besides,
// the runtime's reserve for exceptions thrown without memory loses a little at each nested one (GCC
// 12), and would be used up.
Outcome attempt_apart(const Workplace& place, bool in_process, const Scenario& scenario,
                      std::uint64_t nth, Failing failing, int attempts) {
  void* const shared =
      ::mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const outcome = new (shared) Outcome;
  const auto complain = [&](const std::string& text) {
    std::snprintf(static_cast<char*>(outcome->complaint), sizeof outcome->complaint, "%s",
                  text.c_str());
  };
  outcome->reached = true;  // should the process end there
  const pid_t child = ::fork();
  if (child == 0) {
    // What is made once and kept for good is no leak: that is lost each time.
    for (int i = 0; i < attempts && (i == 0 || outcome->growth > 0); ++i) {
      const std::int64_t before = live_allocations();
      const Attempt result = attempt(place, in_process, scenario, nth, failing);
      outcome->reached = result.reached;
      complain(result.complaint);
      if (!result.complaint.empty()) break;
      outcome->growth = live_allocations() - before;
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) complain("died of signal " + std::to_string(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    complain("ended with status " + std::to_string(WEXITSTATUS(status)));
  const Outcome found = *outcome;
  ::munmap(shared, sizeof(Outcome));
  return found;
}

struct Course {
  bool in_process = true;
  int attempts = 3;
  std::int64_t allowed_growth = 0;
  std::uint64_t step = 1;
};

// Every how many allocations one fails after the first hundred, where a scenario has thousands; or
// each of them where XPOSE_EVERY_ALLOCATION is set.
std::uint64_t one_of(std::uint64_t many) {
  return std::getenv("XPOSE_EVERY_ALLOCATION") == nullptr ? many : 1;
}

// Fails the first allocations of a scenario, and every step-th one after them.
void fail_each(const Workplace& place, const Scenario& scenario, Failing failing,
               const Course& course) {
  Complaints complaints;
  std::uint64_t points = 0;
  for (std::uint64_t nth = 1;; nth += nth < 100 ? 1 : course.step) {
    const Outcome found =
        attempt_apart(place, course.in_process, scenario, nth, failing, course.attempts);
    complaints.add(static_cast<const char*>(found.complaint), nth);
    if (found.complaint[0] == '\0' && found.growth > course.allowed_growth)
      complaints.add("leaks", nth);
    if (!found.reached) break;
    ++points;
  }
  EXPECT_TRUE(complaints.text().empty()) << complaints.text();
  std::cout << "[  points  ] " << points << " allocations of " << scenario.name << " (step "
            << course.step << (course.in_process ? "" : ", with workers")
            << (failing == Failing::once ? "), one failing\n"
                                         : "), it and all later ones failing\n");
}

class Faults : public testing::TestWithParam<Failing> {
 protected:
  Workplace place;
};

// Before this process has loaded a plugin, so that each attempt loads them.
TEST_P(Faults, AFirstUseSurvivesEveryFailingAllocation) {
  const Outcome sound = attempt_apart(place, true, first_use(), kNever, GetParam(), 1);
  ASSERT_STREQ(static_cast<const char*>(sound.complaint), "");
  // A load that fails leaves a few records of the system's loader behind.
  constexpr std::int64_t kRecords = 16;
  fail_each(place, first_use(), GetParam(),
            {.attempts = 1, .allowed_growth = sound.growth + kRecords, .step = one_of(47)});
}

// With the plugins loaded. The worker is another process, whose allocations do not fail.
TEST_P(Faults, AUseWithWorkersSurvivesFailingAllocations) {
  ASSERT_EQ(attempt(place, true, first_use(), kNever, GetParam()).complaint, "");
  fail_each(place, first_use(), GetParam(), {.in_process = false, .step = one_of(47)});
}

class Call : public testing::TestWithParam<std::tuple<Scenario, Failing>> {};

// Each call, with the plugins loaded.
TEST_P(Call, SurvivesEveryFailingAllocation) {
  const auto& [scenario, failing] = GetParam();
  const Workplace place;
  ASSERT_EQ(attempt(place, true, scenario, kNever, failing).complaint, "");
  fail_each(place, scenario, failing,
            {.step = scenario.step * one_of(failing == Failing::once ? 41 : 61)});
}

std::string name_of(Failing failing) { return failing == Failing::once ? "once" : "from_then_on"; }

INSTANTIATE_TEST_SUITE_P(Each, Faults, testing::Values(Failing::once, Failing::from_then_on),
                         [](const auto& info) { return name_of(info.param); });
INSTANTIATE_TEST_SUITE_P(Each, Call,
                         testing::Combine(testing::ValuesIn(scenarios().begin(), scenarios().end()),
                                          testing::Values(Failing::once, Failing::from_then_on)),
                         [](const auto& info) {
                           return std::get<Scenario>(info.param).name +
                                  ('_' + name_of(std::get<Failing>(info.param)));
                         });

}  // namespace
}  // namespace xpose
