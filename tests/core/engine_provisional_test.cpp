// A decision whose budget did not reach every rival: later engines improve it, and nothing is lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "process/device_lock.hpp"
#include "xpose/cache.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const Problem kProblem = matrix(96, 80, 4);

bool is_right_transpose(const Trial* trial) {
  return trial != nullptr && trial->role == Role::transpose && trial->verdict == Verdict::ok;
}

class Provisional : public testing::Test {
 protected:
  Provisional() { fs::create_directories(folder_); }
  ~Provisional() override { fs::remove_all(folder_); }

  // Beside this program nothing is installed, so that all are strangers: whoever was not tried may
  // win. One of them, `slow`, never does.
  EngineOptions options() const {
    EngineOptions options;
    options.plugin_folders = {XPOSE_PLUGINS, ZOO_SLOW};
    options.threads = 2;
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.cache = cache();
    return options;
  }
  fs::path cache() const { return folder_ / "trials.sqlite"; }
  Decision decision() const { return read_cache(cache()).decisions.at(0); }

  // A plan of a fresh engine; the transposes that were tried for it are in tried_.
  Plan plan(const PlanOptions& asked) {
    Engine engine(options());
    return plan(engine, asked);
  }
  Plan plan(Engine& engine, PlanOptions asked) {
    tried_.clear();
    asked.tune.progress = [this, more = asked.tune.progress](const Progress& progress) {
      if (is_right_transpose(progress.trial)) tried_.insert(progress.trial->variant.strategy);
      if (more) more(progress);
    };
    return engine.plan(kProblem, asked);
  }

  // A decision after everything was tried, but for those that are left, of whom nothing is known.
  void leave_untried(const Names& left, const std::string& winner) {
    EngineOptions elsewhere = options();
    elsewhere.cache = folder_ / "elsewhere.sqlite";
    TuneOptions everything;
    everything.budget_seconds = 60;
    everything.max_rounds = 1;
    everything.every_strategy = true;
    Engine(elsewhere).tune(kProblem, everything);
    Decision made = read_cache(elsewhere.cache).decisions.at(0);
    const auto trial = std::ranges::find_if(made.trials, [&](const CachedTrial& one) {
      return one.variant.strategy == winner && one.verdict == Verdict::ok;
    });
    ASSERT_NE(trial, made.trials.end());
    made.winner = trial->variant;
    made.digest = trial->digest;
    std::erase_if(made.trials,
                  [&](const CachedTrial& one) { return left.contains(one.variant.strategy); });
    made.untried = std::ssize(left);
    merge_into_cache(cache(), {{made}, {}});
  }
  void rewrite(const std::function<void(Decision&)>& change) const {
    Decision made = decision();
    change(made);
    ++made.when;  // the newer one stays
    merge_into_cache(cache(), {{made}, {}});
  }

  Names tried_;

 private:
  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("xpose-provisional-" + std::to_string(getpid()) + '-' +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

// As long as it takes.
PlanOptions surely() {
  PlanOptions options;
  options.tune.budget_seconds = 60;
  options.tune.max_rounds = 1;
  return options;
}

// The budget is over once one transpose was tried, on a machine of any speed.
PlanOptions for_one_transpose() {
  static constexpr double kBudget = 0.4;
  PlanOptions options;
  options.tune.budget_seconds = kBudget;
  options.tune.progress = [](const Progress& progress) {
    if (is_right_transpose(progress.trial))
      std::this_thread::sleep_for(std::chrono::duration<double>(kBudget));
  };
  return options;
}

const PlanOptions kKnownOnly{.policy = Policy::cached_only};
const Names kOthers = {"host_naive_row", "host_naive_col", "host_blocked"};

Names strategies_of(const Decision& decision) {
  Names names;
  for (const CachedTrial& trial : decision.trials) names.insert(trial.variant.strategy);
  return names;
}

TEST_F(Provisional, AFirstPlanWithoutTimeLeavesRivalsAndSaysSo) {
  while (plan(for_one_transpose()).is_estimate()) {  // other tests measured all that time
  }
  const Decision made = decision();
  EXPECT_EQ(tried_, Names{made.winner.strategy});
  EXPECT_GE(made.untried, std::ssize(kOthers));
  EXPECT_EQ(made.improvements, 0);
  plan(surely());
  EXPECT_TRUE(tried_.contains(made.winner.strategy));
  EXPECT_TRUE(std::ranges::includes(tried_, kOthers));
  EXPECT_EQ(decision().untried, 0);
  EXPECT_EQ(decision().improvements, 1);
  plan(surely());
  EXPECT_EQ(tried_, Names{});
}

TEST_F(Provisional, ALaterPlanTriesTheWinnerAndWhoIsLeft) {
  leave_untried({"host_naive_row", "slow"}, "host_blocked");
  const Names before = strategies_of(decision());
  EXPECT_NE(plan(surely()).variant().strategy, "slow");
  for (const char* strategy : {"host_blocked", "host_naive_row", "slow"})
    EXPECT_TRUE(tried_.contains(strategy)) << strategy;
  EXPECT_LE(tried_.size(), 4U);  // the cost model's first choice may be another
  const Decision after = decision();
  EXPECT_EQ(after.untried, 0);
  EXPECT_EQ(after.improvements, 1);
  EXPECT_TRUE(std::ranges::includes(strategies_of(after), before));
}

TEST_F(Provisional, WhoIsBetterWins) {
  leave_untried(kOthers, "slow");
  EXPECT_EQ(plan(kKnownOnly).variant().strategy, "slow");
  const Plan improved = plan(surely());
  EXPECT_NE(improved.variant().strategy, "slow");
  EXPECT_TRUE(tried_.contains("slow"));  // what stands is tried again
  EXPECT_EQ(decision().winner, improved.variant());
  EXPECT_EQ(plan(kKnownOnly).variant(), improved.variant());
}

TEST_F(Provisional, ThreeTurnsAreTheMost) {
  leave_untried(kOthers, "slow");
  for (std::int64_t turns = 0; turns < 3; turns = decision().improvements) {
    const std::string standing = decision().winner.strategy;
    plan(for_one_transpose());
    if (decision().improvements == turns) continue;  // other tests measured all that time
    EXPECT_TRUE(tried_.contains(standing));
    EXPECT_EQ(decision().improvements, turns + 1);
    EXPECT_GT(decision().untried, 0);
  }
  plan(surely());
  EXPECT_EQ(tried_, Names{});
  EXPECT_EQ(decision().improvements, 3);
}

TEST_F(Provisional, OneTurnInAnEngineWhateverItWasAskedBefore) {
  leave_untried(kOthers, "slow");
  Engine engine(options());
  EXPECT_EQ(plan(engine, kKnownOnly).variant().strategy, "slow");
  EXPECT_EQ(plan(engine, {.policy = Policy::estimate}).variant().strategy, "slow");
  EXPECT_EQ(tried_, Names{});
  EXPECT_NE(plan(engine, surely()).variant().strategy, "slow");
  rewrite([](Decision& made) { made.untried = 2; });
  plan(engine, surely());
  EXPECT_EQ(tried_, Names{});
}

TEST_F(Provisional, ManyThreadsTakeOneTurn) {
  leave_untried(kOthers, "slow");
  Engine engine(options());
  std::atomic<int> turns = 0;
  PlanOptions asked = surely();
  asked.tune.progress = [&](const Progress& progress) {
    if (progress.stage == "verify" && progress.done == 1) ++turns;
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { engine.plan(kProblem, asked); });
  }
  EXPECT_EQ(turns, 1);
  EXPECT_EQ(decision().improvements, 1);
}

TEST_F(Provisional, NothingIsLostByATurnThatIsCutShort) {
  leave_untried(kOthers, "slow");
  const Decision before = decision();
  PlanOptions interrupted = surely();
  interrupted.tune.interrupted = [] { return true; };
  PlanOptions at_once = surely();
  at_once.tune.budget_seconds = 0;
  PlanOptions too_short = surely();
  too_short.tune.budget_seconds = 1e-6;
  for (const PlanOptions& cut : {interrupted, at_once, too_short}) {
    const Plan standing = plan(cut);
    EXPECT_EQ(standing.variant(), before.winner);
    EXPECT_FALSE(standing.is_estimate());
    EXPECT_EQ(decision(), before);
  }
  int tries = 0;
  PlanOptions midway = surely();
  midway.tune.progress = [&](const Progress&) { ++tries; };
  midway.tune.interrupted = [&] { return tries >= 6; };  // copies among them
  plan(midway);
  EXPECT_EQ(decision(), before);
  EXPECT_NE(plan(surely()).variant().strategy, "slow");
}

// Who has to wait for another process takes its turn all the same, unless that one took it.
class ProvisionalBehindAnother : public Provisional {
 protected:
  Plan plan_behind(const std::function<void()>& meanwhile) {
    std::optional<DeviceLock> other(std::in_place, "host", 600, nullptr);
    EngineOptions waiting = options();
    waiting.warn = [&](std::string_view warning) {
      if (!other || warning.find("another process measures") == std::string_view::npos) return;
      meanwhile();
      other.reset();
    };
    Engine engine(waiting);
    return plan(engine, surely());
  }
};

TEST_F(ProvisionalBehindAnother, TakesItsTurn) {
  leave_untried(kOthers, "slow");
  EXPECT_NE(plan_behind([] {}).variant().strategy, "slow");
  EXPECT_EQ(decision().improvements, 1);
}

TEST_F(ProvisionalBehindAnother, TakesNoTurnThatTheOtherTook) {
  leave_untried(kOthers, "slow");
  const Plan taken = plan_behind([&] {
    rewrite([](Decision& made) {
      const auto better =
          std::ranges::find(made.trials, "host_blocked_pad",
                            [](const CachedTrial& trial) { return trial.variant.strategy; });
      made.winner = better->variant;
      made.digest = better->digest;
      made.untried = 0;
    });
  });
  EXPECT_EQ(taken.variant().strategy, "host_blocked_pad");
  EXPECT_EQ(tried_, Names{});
}

}  // namespace
}  // namespace xpose
