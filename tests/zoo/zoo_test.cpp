// Host plugins that do harm: each ends as it should, and nothing comes of it.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "survival.hpp"

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> good_plugins() { return {fs::path(XPOSE_PLUGINS) / "host_naive.so"}; }

// Nobody is left out on a slow machine; the race ends by itself.
TuneOptions patiently() {
  TuneOptions options;
  options.budget_seconds = 60;
  options.every_strategy = true;
  return options;
}

class Zoo : public testing::TestWithParam<Animal> {};

TEST_P(Zoo, Survives) {
  const Animal& animal = GetParam();
  expect_survival(animal, animal_file(animal.name), good_plugins(), {});
}

// An end that follows the animal's last words.
Animal last(const std::string& name, Verdict verdict, std::vector<std::string> words) {
  words.push_back("last words of " + name);
  return {name, verdict, std::move(words)};
}

Animal hangs(const std::string& name, const std::string& stage) {
  Animal animal = last(name, Verdict::timed_out, {stage});
  animal.stage_seconds = 2;
  return animal;
}

Animal in_load(Animal animal) {
  animal.refused = true;
  return animal;
}

Animal throws_in(const std::string& stage) {
  const std::string name = "throw_in_" + stage;
  return {name, Verdict::protocol_error, {"exception", "thrown by " + name}};
}

const std::vector<Animal> kAnimals = {
    in_load(last("crash_in_load", Verdict::crashed, {"signal 11"})),
    last("crash_in_quote", Verdict::crashed, {"signal 11"}),
    last("crash_in_create", Verdict::crashed, {"signal 11"}),
    last("crash_in_launch", Verdict::crashed, {"signal 11"}),
    last("crash_in_destroy", Verdict::crashed, {"signal 11"}),
    last("abort", Verdict::crashed, {"signal 6"}),
    in_load(last("exit_in_load", Verdict::exited, {"exit status 0"})),
    last("exit_in_launch", Verdict::exited, {"exit status 0"}),
    in_load(hangs("hang_in_load", "load")),
    hangs("hang_in_quote", "quote"),
    hangs("hang_in_create", "create"),
    hangs("hang_in_launch", "launch"),
    hangs("hang_in_destroy", "destroy"),
    hangs("ignore_sigterm", "launch"),
    throws_in("quote"),
    throws_in("create"),
    throws_in("launch"),
    throws_in("destroy"),
    {"throw_without_words", Verdict::protocol_error, {"threw an exception through the ABI"}},
    last("write_descriptor_3", Verdict::protocol_error, {}),
    last("close_descriptor_3", Verdict::crashed, {"closed descriptor 3"}),
    last("kill_itself", Verdict::crashed, {"signal 9"}),
    last("spawn_and_exit", Verdict::exited, {"exit status 0"}),
    {"spawn_child", Verdict::ok},
    {"flood", Verdict::ok},
    {"write_before_output", Verdict::wrote_outside, {"1 bytes before the output"}},
    {"write_after_output", Verdict::wrote_outside, {"past the output"}},
    {"write_into_input", Verdict::modified_input, {"byte 0 of the input"}},
    {"write_past_workspace", Verdict::wrote_outside, {"past the workspace of 256 bytes"}},
    {"return_input", Verdict::wrong_result, {"should be in["}},
    {"small_only", Verdict::wrong_result, {"should be in[", "not written"}},
    {"do_nothing", Verdict::wrong_result, {"should be in[", "not written"}},
    {"right_once", Verdict::wrong_result, {"should be in[", "not written"}},
    {"finish_later", Verdict::wrong_result},
    {"decline_in_create", Verdict::protocol_error, {"accepted by quote", "changed its mind"}},
    last("use_unquoted_workspace", Verdict::crashed, {"signal 11"}),
    {"huge_workspace", Verdict::no_memory},
    {"out_of_memory", Verdict::no_memory, {"out of memory"}},
};

std::string name_of(const testing::TestParamInfo<Animal>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Host, Zoo, testing::ValuesIn(kAnimals), name_of);

// ------------------------------------------------------------------- plugins of tests/abi/refused

class OtherBuilds : public testing::TestWithParam<Animal> {};

TEST_P(OtherBuilds, Survives) {
  const Animal& animal = GetParam();
  expect_survival(animal, fs::path(REFUSED_DIR) / (animal.name + ".so"), good_plugins(), {});
}

Animal refused(const std::string& name, std::vector<std::string> words) {
  return {name, Verdict::load_refused, std::move(words), true};
}

INSTANTIATE_TEST_SUITE_P(Abi, OtherBuilds,
                         testing::Values(Animal{"older_card"}, Animal{"newer_minor"},
                                         refused("other_major", {"7.3", "rebuild"}),
                                         refused("no_strategies", {"no strategies"}),
                                         refused("duplicate_names", {"two strategies", "'twin'"}),
                                         refused("undefined_symbol",
                                                 {"xpose_test_function_that_nobody_defines"})),
                         name_of);

TEST(OtherBuild, CutShort) {
  const Enclosure whole(animal_file("do_nothing"), {});
  fs::resize_file(whole.file(), 10'000);  // in what is loaded, whatever debug information follows
  expect_survival(refused("do_nothing", {"cut short"}), whole.file(), good_plugins(), {});
}

// -------------------------------------------------------------------- what needs a test of its own

// Those above are met with a short deadline. One in launch would keep other tests from the device.
TEST(ZooAlone, AHangPastTheDefaultDeadlineIsRemembered) {
  Enclosure enclosure(animal_file("hang_in_load"), good_plugins());
  for (const bool again : {false, true}) {
    const std::size_t entered = enclosure.visits().size();
    Engine engine(enclosure.options(EngineOptions{}.stage_seconds));
    EXPECT_EQ(engine.plugins().size(), 2U);
    const std::vector<Quarantine> known = read_cache(enclosure.cache()).quarantine;
    ASSERT_EQ(known.size(), 1U);
    EXPECT_EQ(to_string(known[0].verdict), "timed_out");
    EXPECT_EQ(again, enclosure.visits().size() == entered);
  }
  expect_nobody_left(enclosure.visits());
}

// A process out of the worker's group is beyond the engine's reach, which the threat model says.
// All that is asked is that the pipes it holds keep nobody waiting.
TEST(ZooAlone, ADaemonKeepsNobodyWaiting) {
  Enclosure enclosure(animal_file("spawn_daemon"), good_plugins());
  {
    Engine engine(enclosure.options(60));
    const TuneReport report = engine.tune(matrix(96, 80, 4), patiently());
    const Trial* const trial = find_trial(report, "spawn_daemon");
    ASSERT_NE(trial, nullptr);
    EXPECT_EQ(to_string(trial->verdict), "exited") << trial->detail;
    expect_transposes(engine, matrix(96, 80, 4));
  }
  std::size_t daemons = 0;
  for (const Visit& visit : enclosure.visits())
    if (visit.stage == "child") {
      ++daemons;
      EXPECT_EQ(kill(visit.pid, SIGKILL), 0) << "the daemon had gone before it could matter";
    }
  EXPECT_EQ(daemons, 2U);
  expect_nobody_left(enclosure.visits());
}

class LyingAboutSpeed : public testing::TestWithParam<std::string> {};

// Right whenever it is verified, and fast where it thinks that nobody looks: found while it is
// timed, on buffers that are too large to be rotated. Whom a disturbed first sample has thrown out
// of the race has not lied yet: once more.
TEST_P(LyingAboutSpeed, IsFoundWhileItIsTimed) {
  for (int turn = 0;; ++turn) {
    Enclosure enclosure(animal_file(GetParam()), good_plugins());
    Engine engine(enclosure.options(60));
    const TuneReport report = engine.tune(matrix(1100, 1000, 4), patiently());
    const Trial* const trial = find_trial(report, GetParam());
    ASSERT_NE(trial, nullptr);
    ASSERT_TRUE(report.winner.has_value());
    EXPECT_NE(report.trials[*report.winner].variant.strategy, GetParam());
    if (trial->verdict == Verdict::ok && turn < 9) continue;
    EXPECT_EQ(to_string(trial->verdict), "wrong_result");
    for (const char* words : {"should be in[", "not written when a timed launch returned"})
      EXPECT_NE(trial->detail.find(words), std::string::npos) << trial->detail;
    EXPECT_EQ(read_cache(enclosure.cache()).quarantine.size(), 1U);
    return;
  }
}

const std::vector<std::string> kLiars = {"right_at_first", "skip_what_looks_right",
                                         "remember_buffers"};
INSTANTIATE_TEST_SUITE_P(Host, LyingAboutSpeed, testing::ValuesIn(kLiars),
                         [](const auto& info) { return info.param; });

enum class Exchange { none, renamed, overwritten };

class Turncoat : public testing::TestWithParam<Exchange> {
 protected:
  // Puts the other plugin where the turncoat was.
  static void exchange(const fs::path& file) {
    const fs::path other = animal_file("turncoat_exchanged");
    if (GetParam() == Exchange::overwritten)
      fs::copy_file(other, file, fs::copy_options::overwrite_existing);
    if (GetParam() == Exchange::renamed) {
      fs::copy_file(other, file.string() + ".new");
      fs::rename(file.string() + ".new", file);
    }
  }

  // Where the host was entered, one for each time.
  static std::vector<std::string> loaded_here(const Enclosure& enclosure) {
    std::vector<std::string> names;
    for (const Visit& visit : enclosure.visits())
      if (visit.stage == "load" && visit.pid == getpid()) names.push_back(visit.animal);
    return names;
  }
};

// What was tried is what is loaded: code that takes its place on disk is not run by the host.
TEST_P(Turncoat, OnlyWhatWasTriedIsLoaded) {
  using Names = std::vector<std::string>;
  Enclosure enclosure(animal_file("turncoat"), {animal_file("slow")});
  const Problem problem = matrix(96, 80, 4);
  {
    Engine engine(enclosure.options(60));
    const TuneReport report = engine.tune(problem, patiently());
    ASSERT_TRUE(report.winner.has_value());
    ASSERT_EQ(report.trials[*report.winner].variant.strategy, "turncoat");
    EXPECT_EQ(loaded_here(enclosure), Names{});
    exchange(enclosure.file());
    try {
      expect_transposes(engine, problem);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("turncoat.so"), std::string::npos) << error.what();
    }
  }
  if (GetParam() == Exchange::none) {
    EXPECT_EQ(loaded_here(enclosure), Names{"turncoat"});
    return;
  }
  for (const std::string& name : loaded_here(enclosure)) EXPECT_NE(name, "turncoat_exchanged");

  // The next start finds another plugin, tries it, and turns it down.
  Engine engine(enclosure.options(60));
  const TuneReport report = engine.tune(problem, patiently());
  const Trial* const trial = find_trial(report, "turncoat");
  ASSERT_NE(trial, nullptr);
  EXPECT_EQ(to_string(trial->verdict), "wrong_result");
  ASSERT_TRUE(report.winner.has_value());
  EXPECT_EQ(report.trials[*report.winner].variant.strategy, "slow");
  expect_transposes(engine, problem);
  for (const std::string& name : loaded_here(enclosure)) EXPECT_NE(name, "turncoat_exchanged");
}

INSTANTIATE_TEST_SUITE_P(File, Turncoat,
                         testing::Values(Exchange::none, Exchange::renamed, Exchange::overwritten),
                         [](const auto& info) -> std::string {
                           return info.param == Exchange::none      ? "LeftAlone"
                                  : info.param == Exchange::renamed ? "Renamed"
                                                                    : "Overwritten";
                         });

// ----------------------------------------------------------------------------------- completeness

TEST(ZooAlone, NoAnimalIsForgotten) {
  std::set<std::string> met = {"slow", "spawn_daemon", "turncoat", "turncoat_exchanged"};
  for (const Animal& animal : kAnimals) met.insert(animal.name);
  met.insert(kLiars.begin(), kLiars.end());
  std::istringstream built(ZOO_ANIMALS);
  for (std::string name; built >> name;) EXPECT_TRUE(met.contains(name)) << name;
}

}  // namespace
}  // namespace xpose::zoo
