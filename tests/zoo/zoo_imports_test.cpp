// A decision that another machine made, or that somebody wrote into the cache: it is used where its
// winner is right here, and harms nobody where it is not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "enclosure.hpp"

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

const Problem kProblem = matrix(96, 80, 4);

struct Case {
  std::string name;
  std::string plugin;    // an animal, or one of the library's
  Variant winner;        // of that plugin, as the decision says
  std::string why = {};  // in the warning
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class ImportsTest : public testing::Test {
 protected:
  static std::vector<fs::path> good_plugins() {
    std::vector<fs::path> files;
    for (const char* name : {"host_naive", "host_blocked", "host_in_place", "host_copy"})
      files.push_back(fs::path(XPOSE_PLUGINS) / (std::string(name) + ".so"));
    return files;
  }

  // The decision of a machine with the same processor and plugins.
  static Decision made_elsewhere(Enclosure& enclosure) {
    EngineOptions options = enclosure.options(60);
    options.cache = enclosure.cache().parent_path() / "elsewhere.sqlite";
    TuneOptions tune;
    tune.budget_seconds = 0.2;
    Engine(options).tune(kProblem, tune);
    return read_cache(options.cache).decisions.at(0);
  }

  static std::string digest_of(const Engine& engine, const std::string& plugin) {
    for (const PluginInfo& info : engine.plugins())
      if (info.file.stem() == plugin) return info.digest;
    return std::string(32, '0');
  }

  // As `xpose cache import` or an editor writes it.
  static void write(Enclosure& enclosure, const Case& one, bool imported) {
    Decision decision = made_elsewhere(enclosure);
    decision.winner = one.winner;
    EngineOptions options = enclosure.options(60);
    options.remember = false;
    decision.digest = digest_of(Engine(options), one.plugin);
    decision.imported = imported;
    decision.untried = 0;
    merge_into_cache(enclosure.cache(), {{decision}, {}});
  }

  // How many trials a plan took; what it executes is held against the definition.
  static std::size_t trials_of_plan(Engine& engine, Plan* planned = nullptr) {
    std::size_t trials = 0;
    PlanOptions options;
    options.tune.budget_seconds = 60;
    options.tune.max_rounds = 1;
    options.tune.progress = [&](const Progress&) { ++trials; };
    const Plan plan = engine.plan(kProblem, options);
    if (planned != nullptr) *planned = plan;
    expect_transposes(engine, kProblem);
    return trials;
  }

  // Waits for others that measure on the device, to have an import verified.
  static PlanOptions known_only() {
    PlanOptions options{.policy = Policy::cached_only};
    options.tune.budget_seconds = 60;
    return options;
  }

  // Warnings of imports that have the words in them.
  static std::ptrdiff_t warned_of(const Enclosure& enclosure, const std::string& words = "") {
    return std::ranges::count_if(enclosure.warnings(), [&](const std::string& warning) {
      return warning.starts_with("the imported choice of") &&
             warning.find(words) != std::string::npos;
    });
  }
};

fs::path animal_of(const Case& one) {
  const bool is_animal = fs::exists(animal_file(one.plugin));
  return animal_file(is_animal ? one.plugin : "slow");
}

// ------------------------------------------------------------------------------- those of no use

class UselessImports : public ImportsTest, public testing::WithParamInterface<Case> {};

TEST_P(UselessImports, EndInARightPlanAndSayWhy) {
  const Case& one = GetParam();
  Enclosure enclosure(animal_of(one), good_plugins());
  write(enclosure, one, true);
  {
    Engine engine(enclosure.options(60));
    Plan plan = engine.plan(matrix(0, 0, 4));
    EXPECT_GT(trials_of_plan(engine, &plan), 0U);
    EXPECT_NE(plan.variant(), one.winner);
    EXPECT_EQ(warned_of(enclosure, to_string(one.winner) + " for "), 1);
    EXPECT_EQ(warned_of(enclosure, one.why), 1) << testing::PrintToString(enclosure.warnings());
  }
  const CacheContents known = read_cache(enclosure.cache());
  ASSERT_EQ(known.decisions.size(), 1U);
  EXPECT_FALSE(known.decisions[0].imported);  // this machine's own has taken its place
  EXPECT_NE(known.decisions[0].winner, one.winner);
  Engine engine(enclosure.options(60));
  EXPECT_EQ(trials_of_plan(engine), 0U);
  EXPECT_EQ(warned_of(enclosure), 1);
  expect_nobody_left(enclosure.visits());
}

TEST_P(UselessImports, AreNotTakenWhereNothingIsMeasured) {
  const Case& one = GetParam();
  Enclosure enclosure(animal_of(one), good_plugins());
  write(enclosure, one, true);
  Engine engine(enclosure.options(60));
  try {
    engine.plan(kProblem, known_only());
    ADD_FAILURE() << "was used";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_strategy) << error.what();
  }
  EXPECT_EQ(warned_of(enclosure, one.why), 1) << testing::PrintToString(enclosure.warnings());
}

const Case kACopy = {
    "Copy", "host_copy", {"copy_memcpy", {{"parallel", 1}}}, "copy_memcpy is a copy"};
const Case kANumeric = {
    "Numeric", "arithmetic", {"arithmetic", {}}, "arithmetic computes with the elements"};
const Case kUnknown = {
    "Unknown", "host_naive", {"magic", {}}, "host_naive.so offers no strategy magic"};
const Case kNoConfig = {
    "NoConfig", "host_blocked", {"host_blocked", {{"tile", 7}}}, "host_blocked has no tile=7"};
const Case kDeclined = {"Declined",
                        "host_in_place",
                        {"host_in_place", {{"run", 256}, {"twins", 0}}},
                        "unsupported, works in place"};

INSTANTIATE_TEST_SUITE_P(
    Imports, UselessImports,
    testing::Values(
        kACopy, kANumeric, kUnknown, kNoConfig, kDeclined,
        Case{"Absent", "nothing", {"host_naive_row", {}}, "its plugin is not installed here"},
        Case{"Wrong", "do_nothing", {"do_nothing", {}}, "wrong_result, out["},
        Case{"WrongAfterAWhile", "right_once", {"right_once", {}}, "wrong_result, "},
        Case{"CrashInLaunch", "crash_in_launch", {"crash_in_launch", {}}, "crashed, "},
        Case{"CrashInQuote", "crash_in_quote", {"crash_in_quote", {}}, "crashed, "},
        Case{"CrashInLoad", "crash_in_load", {"crash_in_load", {}}, "signal 11"}),
    [](const auto& info) { return info.param.name; });

// ---------------------------------------------------------------------- rows that somebody edited

class EditedRows : public ImportsTest, public testing::WithParamInterface<Case> {};

TEST_P(EditedRows, AreNoDecisions) {
  const Case& one = GetParam();
  Enclosure enclosure(animal_of(one), good_plugins());
  write(enclosure, one, false);
  {
    Engine engine(enclosure.options(60));
    EXPECT_THROW(engine.plan(kProblem, known_only()), Error);
    EXPECT_NE(engine.plan(kProblem, {.policy = Policy::estimate}).variant(), one.winner);
  }
  Engine engine(enclosure.options(60));
  EXPECT_GT(trials_of_plan(engine), 0U);
  EXPECT_NE(read_cache(enclosure.cache()).decisions.at(0).winner, one.winner);
}

INSTANTIATE_TEST_SUITE_P(Cache, EditedRows,
                         testing::Values(kACopy, kANumeric, kUnknown, kNoConfig, kDeclined),
                         [](const auto& info) { return info.param.name; });

// -------------------------------------------------------------------------------------- the right

std::size_t launches_elsewhere(const Enclosure& enclosure) {
  return static_cast<std::size_t>(std::ranges::count_if(enclosure.visits(), [](const Visit& visit) {
    return visit.stage == "launch" && visit.pid != getpid();
  }));
}

// The slowest of all: a race would not choose it.
TEST_F(ImportsTest, ARightOneIsVerifiedOnceAndUsedWithoutARace) {
  const Case slow = {"Right", "slow", {"slow", {}}};
  Enclosure enclosure(animal_file("slow"), good_plugins());
  write(enclosure, slow, true);
  const std::size_t before = launches_elsewhere(enclosure);
  {
    Engine engine(enclosure.options(60));
    EXPECT_EQ(engine.plan(kProblem, known_only()).variant(), slow.winner);
    const std::vector<Visit> visits = enclosure.visits();
    const auto here = std::ranges::find(visits, getpid(), &Visit::pid);
    ASSERT_NE(here, visits.end());
    EXPECT_EQ((here - 1)->stage, "launch");  // in a worker, before this process loaded it
    EXPECT_EQ(trials_of_plan(engine), 0U);
  }
  const std::size_t verified = launches_elsewhere(enclosure);
  EXPECT_GT(verified, before);
  EXPECT_FALSE(read_cache(enclosure.cache()).decisions.at(0).imported);
  Engine engine(enclosure.options(60));
  EXPECT_EQ(engine.plan(kProblem).variant(), slow.winner);
  EXPECT_EQ(launches_elsewhere(enclosure), verified);  // not again
  EXPECT_EQ(warned_of(enclosure), 0);
}

// An estimate tries nothing, and so it does not use what nobody has tried here.
TEST_F(ImportsTest, AnEstimateDoesNotUseIt) {
  const Case slow = {"Right", "slow", {"slow", {}}};
  Enclosure enclosure(animal_file("slow"), good_plugins());
  write(enclosure, slow, true);
  Engine engine(enclosure.options(60));
  const Plan plan = engine.plan(kProblem, {.policy = Policy::estimate});
  EXPECT_TRUE(plan.is_estimate());
  EXPECT_NE(plan.variant(), slow.winner);
  EXPECT_TRUE(read_cache(enclosure.cache()).decisions.at(0).imported);
}

}  // namespace
}  // namespace xpose::zoo
