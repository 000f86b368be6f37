#include "chooser/chooser.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "../../temporary_folder.hpp"
#include "cache/decision.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// A machine on which strategies take told times, or are wrong.
struct Machine {
  std::map<std::string, double> seconds;  // of one call; a millisecond where nothing is told
  std::set<std::string> wrong;
  int prepared = 0;
  std::set<std::string> verified;
};

class ToldTrials : public TrialRunner {
 public:
  ToldTrials(Machine& machine, const Problem& problem) : machine_(machine), problem_(problem) {}

  std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                 const std::vector<Values>& configs) override {
    std::vector<QuoteAnswer> answers;
    for (const Values& values : configs)
      answers.push_back(xpose::quote(strategy, values, problem_, backend(problem_.device).info()));
    return answers;
  }
  void prepare() override { ++machine_.prepared; }
  Outcome verify(const Candidate& candidate) override {
    machine_.verified.insert(candidate.variant.strategy);
    if (machine_.wrong.contains(candidate.variant.strategy))
      return {Verdict::wrong_result, "told so"};
    return {};
  }
  Sample time(const Candidate& candidate) override {
    const auto told = machine_.seconds.find(candidate.variant.strategy);
    return {{}, told == machine_.seconds.end() ? 1e-3 : told->second};
  }

 private:
  Machine& machine_;
  Problem problem_;
};

// The plugins of the build, described in this process, on a told machine.
class ChooserTest : public testing::Test {
 protected:
  static EngineOptions options() {
    EngineOptions options;
    options.in_process = true;
    return options;
  }
  MakeRunner runners() {
    return [this](Worker&, const Catalog&, const Problem& problem, bool) {
      return std::make_unique<ToldTrials>(machine, problem);
    };
  }
  static PlanOptions measuring() {
    PlanOptions plan;
    plan.tune.budget_seconds = 20;
    plan.tune.max_rounds = 2;
    return plan;
  }
  std::string winner_of(const PlanOptions& plan) {
    return chooser.choose(problem, plan).winner.variant.strategy;
  }

  Machine machine{.seconds = {{"host_naive_row", 1e-6}}, .wrong = {}, .verified = {}};
  Cache cache{"", "", {}};
  Registry registry{{XPOSE_PLUGINS}, cache, {}, Shipped::ignored};
  Tables tables{{}, {}};
  Chooser chooser{{registry, cache, tables}, runners(), options(), 2};
  const Problem problem = normal_form(matrix(64, 65, 4));
};

TEST_F(ChooserTest, TheFastestOfTheTrialsIsChosenAndRemembered) {
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  EXPECT_EQ(machine.prepared, 1);
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  EXPECT_EQ(machine.prepared, 1);
  Chooser another({registry, cache, tables}, runners(), options(), 2);
  EXPECT_EQ(another.choose(problem, measuring()).winner.variant.strategy, "host_naive_row");
  EXPECT_EQ(machine.prepared, 1);
}

TEST_F(ChooserTest, AWrongStrategyIsNotChosen) {
  machine.wrong = {"host_naive_row"};
  EXPECT_NE(winner_of(measuring()), "host_naive_row");
  EXPECT_TRUE(machine.verified.contains("host_naive_row"));
}

TEST_F(ChooserTest, NoRightStrategyIsAnErrorWithTheReasons) {
  for (const PluginInfo& plugin : chooser.plugins())
    for (const StrategyInfo& strategy : plugin.strategies)
      if (strategy.role == Role::transpose) machine.wrong.insert(strategy.name);
  try {
    chooser.choose(problem, measuring());
    FAIL() << "a wrong strategy was chosen";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::wrong);
    EXPECT_NE(std::string(error.what()).find("host_naive_row: wrong_result (told so)"),
              std::string::npos);
  }
}

TEST_F(ChooserTest, WithoutABudgetAnEstimateTriesNothing) {
  PlanOptions plan;
  plan.tune.budget_seconds = 0;
  EXPECT_TRUE(chooser.choose(problem, plan).is_estimate);
  plan.policy = Policy::estimate;
  EXPECT_TRUE(chooser.choose(problem, plan).is_estimate);
  EXPECT_EQ(machine.prepared, 0);
}

TEST_F(ChooserTest, AMeasurementReplacesAnEstimate) {
  PlanOptions guess;
  guess.policy = Policy::estimate;
  EXPECT_NE(winner_of(guess), "host_naive_row");
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  EXPECT_EQ(winner_of(guess), "host_naive_row");  // what was measured is used
}

// A table that names host_naive_col for the problem, on whatever processor this is.
class ChooserWithTable : public ChooserTest {
 protected:
  std::string estimate(const std::string& version = "1.0", std::optional<Policy> imposed = {},
                       unsigned threads = 2) {
    const std::string device = backend(Device{}).info().name;
    std::ofstream(folder.path() / "t.json")
        << R"({"schema": "xpose.table/1", "rows": [{"device": ")" << device << R"(", "problem": ")"
        << key_anywhere(problem)
        << R"(", "warm": false, "variants": [{"strategy": "host_naive_col", "config": {},)"
        << R"("plugin": "host_naive", "version": ")" << version << R"("}]}]})";
    Tables of_folder({folder.path()}, [](std::string_view text) { ADD_FAILURE() << text; });
    Chooser one({registry, cache, of_folder, imposed}, runners(), options(), threads);
    PlanOptions plan;
    plan.policy = Policy::estimate;
    return one.choose(problem, plan).winner.variant.strategy;
  }

  TemporaryFolder folder;
};

TEST_F(ChooserWithTable, AnEstimateIsWhatATableNamesForAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 7U})
    EXPECT_EQ(estimate("1.0", {}, threads), "host_naive_col");
  EXPECT_NE(estimate("0.9"), "host_naive_col");  // another version's row
}

TEST_F(ChooserWithTable, AMeasurementWinsOverATableUnlessEstimatesAreImposed) {
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  EXPECT_EQ(estimate(), "host_naive_row");
  EXPECT_EQ(estimate("1.0", Policy::estimate), "host_naive_col");
}

TEST_F(ChooserTest, AnImposedEstimateIsTheSameWhateverWasMeasured) {
  PlanOptions guess;
  guess.policy = Policy::estimate;
  const std::string before = winner_of(guess);
  ASSERT_NE(before, "host_naive_row");
  Chooser strict({registry, cache, tables, Policy::estimate}, runners(), options(), 7);
  EXPECT_EQ(strict.choose(problem, measuring()).winner.variant.strategy, before);
  EXPECT_EQ(machine.prepared, 0);
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  strict.tune(problem, measuring().tune);
  EXPECT_EQ(strict.choose(problem, measuring()).winner.variant.strategy, before);
  EXPECT_TRUE(strict.choose(problem, measuring()).is_estimate);
}

TEST_F(ChooserTest, AnImposedMeasurementSparesThoseWithoutABudget) {
  Chooser keen({registry, cache, tables, Policy::measure}, runners(), options(), 2);
  PlanOptions guess = measuring();
  guess.policy = Policy::estimate;
  guess.tune.budget_seconds = 0;
  EXPECT_TRUE(keen.choose(problem, guess).is_estimate);
  guess.tune.budget_seconds = 20;
  EXPECT_EQ(keen.choose(problem, guess).winner.variant.strategy, "host_naive_row");
}

TEST_F(ChooserTest, OnlyARememberedChoiceIsCached) {
  PlanOptions cached;
  cached.policy = Policy::cached_only;
  EXPECT_THROW(chooser.choose(problem, cached), Error);
  chooser.tune(problem, measuring().tune);
  EXPECT_EQ(winner_of(cached), "host_naive_row");
}

TEST_F(ChooserTest, ATuneReplacesTheChoiceInMemory) {
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  machine.wrong = {"host_naive_row"};  // since
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
  chooser.tune(problem, measuring().tune);
  EXPECT_NE(winner_of(measuring()), "host_naive_row");
}

TEST_F(ChooserTest, AChoiceAmongNamedStrategiesIsNotRemembered) {
  PlanOptions named = measuring();
  named.tune.variants = {{"host_naive_col"}};
  EXPECT_EQ(winner_of(named), "host_naive_col");
  EXPECT_EQ(winner_of(measuring()), "host_naive_row");
}

TEST_F(ChooserTest, OnlyTheVariantsAreTriedEachWithItsValues) {
  machine.seconds.clear();
  TuneOptions tune = measuring().tune;
  tune.variants = {
      {"host_naive_row"}, {"host_blocked", {{"tile", 16}}}, {"host_blocked", {{"tile", 64}}}};
  std::set<std::string> tried;
  for (const Trial& trial : chooser.tune(problem, tune).trials)
    if (trial.role == Role::transpose && trial.verdict == Verdict::ok)
      tried.insert(to_string(trial.variant));
  EXPECT_EQ(tried, (std::set<std::string>{"host_naive_row", "host_blocked{tile=16}",
                                          "host_blocked{tile=64}"}));
}

TEST_F(ChooserTest, AnUnknownVariantIsRefusedBeforeAnythingIsTried) {
  PlanOptions plan = measuring();
  for (const auto& [variant, kind] : std::vector<std::pair<Variant, ErrorKind>>{
           {{"host_nothing"}, ErrorKind::no_strategy},
           {{"host_naive_row", {{"tile", 16}}}, ErrorKind::invalid},
           {{"host_blocked", {{"tile", 17}}}, ErrorKind::invalid}}) {
    plan.tune.variants = {{"host_naive_row"}, variant};
    const auto expect_refused = [&, kind = kind](const auto& call) {
      try {
        call();
        ADD_FAILURE() << to_string(plan.tune.variants[1]);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
      }
    };
    expect_refused([&] { chooser.tune(problem, plan.tune); });
    for (const Policy policy : {Policy::measure, Policy::estimate, Policy::cached_only}) {
      plan.policy = policy;
      expect_refused([&] { chooser.choose(problem, plan); });
    }
  }
  EXPECT_EQ(machine.prepared, 0);
}

}  // namespace
}  // namespace xpose
