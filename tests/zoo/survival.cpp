#include "survival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace xpose::zoo {
namespace {

// Whether the verdict puts a strategy into quarantine.
bool is_bad_end(Verdict verdict) {
  return verdict != Verdict::ok && verdict != Verdict::unsupported &&
         verdict != Verdict::no_memory && verdict != Verdict::load_refused;
}

bool is_remembered(const Animal& animal) {
  return is_bad_end(animal.verdict) && (animal.verdict != Verdict::timed_out ||
                                        animal.stage_seconds >= EngineOptions{}.stage_seconds);
}

// Larger than what small_only gets right, and far from square.
Problem small_problem(Device device) { return matrix(96, 80, 4, device); }

bool contains(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

// All the words are in the text, which is one line of bounded length.
void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_TRUE(contains(text, word)) << text;
  EXPECT_FALSE(contains(text, "\n")) << text;
  EXPECT_LT(text.size(), 4096U);
}

const PluginInfo* find_plugin(const Engine& engine, const std::filesystem::path& file) {
  const auto found = std::ranges::find(engine.plugins(), file, &PluginInfo::file);
  return found == engine.plugins().end() ? nullptr : &*found;
}

// The strategies of the device that good plugins offer were all tried, and found right.
void expect_good_are_tried(const Engine& engine, const TuneReport& report, const Animal& animal) {
  std::size_t tried = 0;
  for (const PluginInfo& plugin : engine.plugins())
    for (const StrategyInfo& strategy : plugin.strategies) {
      if (strategy.name == animal.name || !plugin.refused.empty()) continue;
      ++tried;
      const Trial* const trial = find_trial(report, strategy.name);
      ASSERT_NE(trial, nullptr) << strategy.name;
      EXPECT_EQ(trial->verdict, Verdict::ok) << strategy.name << ": " << trial->detail;
    }
  EXPECT_GT(tried, 0U);
  ASSERT_TRUE(report.winner.has_value());
  EXPECT_EQ(report.trials[*report.winner].verdict, Verdict::ok);
  if (animal.verdict != Verdict::ok) {
    EXPECT_NE(report.trials[*report.winner].variant.strategy, animal.name);
  }
}

// One start: what the animal comes to and what is said of it, which is handed back.
std::string expect_end(const Animal& animal, Enclosure& enclosure, Device device) {
  Engine engine(enclosure.options(animal.stage_seconds));
  TuneOptions options;
  options.budget_seconds = 60;  // the animal's share included, so that nothing good is cut
  options.every_strategy = true;
  const TuneReport report = engine.tune(small_problem(device), options);
  expect_good_are_tried(engine, report, animal);
  expect_transposes(engine, small_problem(device));
  expect_transposes(engine, matrix(33, 57, 4, device));  // one that the animal's plans outlive

  const PluginInfo* const plugin = find_plugin(engine, enclosure.file());
  const Trial* const trial = find_trial(report, animal.name);
  if (plugin == nullptr || (trial == nullptr) != animal.refused) {
    ADD_FAILURE() << (plugin == nullptr  ? "the file is not listed"
                      : trial == nullptr ? "was not tried: " + plugin->refused
                                         : "was not refused");
    return {};
  }
  if (!animal.refused) {
    EXPECT_EQ(plugin->refused, "");
    EXPECT_EQ(to_string(trial->verdict), to_string(animal.verdict)) << trial->detail;
  }
  return animal.refused ? plugin->refused : trial->detail;
}

void expect_quarantine(const Animal& animal, const Enclosure& enclosure) {
  const CacheContents contents = read_cache(enclosure.cache());
  ASSERT_EQ(contents.quarantine.size(), is_remembered(animal) ? 1U : 0U);
  if (contents.quarantine.empty()) return;
  const Quarantine& row = contents.quarantine.front();
  EXPECT_EQ(row.strategy, animal.refused ? "" : animal.name);
  EXPECT_EQ(to_string(row.verdict), to_string(animal.verdict));
  EXPECT_EQ(row.file, animal.name + ".so");
  EXPECT_GT(row.since, 0);
  EXPECT_FALSE(row.digest.empty());
  expect_words(row.words, animal.words);
  EXPECT_TRUE(std::ranges::any_of(enclosure.warnings(), [&](const std::string& warning) {
    return contains(warning, "quarantine") && contains(warning, animal.name);
  }));
}

std::size_t processes_of(const std::vector<Visit>& visits) {
  std::set<pid_t> pids;
  for (const Visit& visit : visits)
    if (visit.stage != "child") pids.insert(visit.pid);
  return pids.size();
}

}  // namespace

void PrintTo(const Animal& animal, std::ostream* out) { *out << animal.name; }

void expect_survival(const Animal& animal, const std::filesystem::path& file,
                     const std::vector<std::filesystem::path>& good, Device device) {
  Enclosure enclosure(file, good);
  const bool remembered = is_remembered(animal);
  {
    SCOPED_TRACE("met for the first time");
    const std::string said = expect_end(animal, enclosure, device);
    expect_words(said, animal.words);
    EXPECT_FALSE(contains(said, "quarantine since")) << said;
    expect_quarantine(animal, enclosure);
    expect_nobody_left(enclosure.visits());
  }
  const std::vector<Visit> first = enclosure.visits();
  if (is_bad_end(animal.verdict)) {
    EXPECT_GE(processes_of(first), 2U);
  }
  {
    SCOPED_TRACE("met again");
    const std::string said = expect_end(animal, enclosure, device);
    expect_words(said, animal.words);
    EXPECT_EQ(contains(said, "quarantine since"), remembered) << said;
    if (remembered) {
      EXPECT_EQ(enclosure.visits().size(), first.size());
    }
    expect_nobody_left(enclosure.visits());
  }
  const std::vector<Visit> second = enclosure.visits();
  {
    SCOPED_TRACE("rebuilt");
    enclosure.rebuild();
    const std::string said = expect_end(animal, enclosure, device);
    expect_words(said, animal.words);
    EXPECT_FALSE(contains(said, "quarantine since")) << said;
    if (!first.empty()) {
      EXPECT_GT(enclosure.visits().size(), second.size());
    }
    expect_nobody_left(enclosure.visits());
  }
  expect_none_here(enclosure.visits());
}

}  // namespace xpose::zoo
