#include "improper.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "enclosure.hpp"

namespace xpose::zoo {

void PrintTo(const Improper& animal, std::ostream* out) { *out << animal.name; }

std::vector<ConformanceCase> failures(const std::filesystem::path& plugin,
                                      const std::string& strategy, double stage_seconds) {
  ConformanceOptions options;
  options.max_elements = 6000;
  options.engine.threads = 2;
  options.engine.worker = XPOSE_TRIAL;
  options.engine.stage_seconds = stage_seconds;
  std::vector<ConformanceCase> failed;
  std::size_t right = 0;
  check_conformance(
      plugin, {strategy}, 4,
      [&](const ConformanceCase& one) {
        if (one.verdict == Verdict::ok) ++right;
        if (one.verdict != Verdict::ok && one.verdict != Verdict::unsupported)
          failed.push_back(one);
      },
      options);
  EXPECT_GT(right + failed.size(), 20U);
  return failed;
}

void expect_found(const Improper& animal) {
  const Enclosure enclosure(animal_file(animal.name), {});
  // A hang takes as long; nothing else comes near.
  const auto failed =
      failures(enclosure.file(), animal.name, animal.verdict == Verdict::timed_out ? 2 : 60);
  ASSERT_FALSE(failed.empty());
  const ConformanceCase& first = failed.front();
  EXPECT_EQ(to_string(first.verdict), to_string(animal.verdict)) << first.detail;
  EXPECT_EQ(first.at_exit, animal.at_exit);
  for (const std::string& words : animal.words)
    EXPECT_NE(first.detail.find(words), std::string::npos) << first.detail;
  expect_none_here(enclosure.visits());
  expect_nobody_left(enclosure.visits());
}

void expect_none_forgotten(const std::vector<Improper>& met) {
  std::set<std::string> names;
  for (const Improper& animal : met) names.insert(animal.name);
  std::istringstream built(ZOO_ANIMALS);
  for (std::string name; built >> name;) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace xpose::zoo
