// What an engine chooses, when it measures for that, and who waits for it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "engine_fixture.hpp"
#include "process/device_lock.hpp"

namespace xpose {
namespace {

using EngineChoice = EngineTest;

TEST_F(EngineChoice, ManyThreadsAskingForOneProblemMeasureItOnce) {
  Engine fresh(own_plugins());
  std::atomic<int> measured = 0;
  PlanOptions options = surely();
  options.tune.progress = [&](const Progress& progress) {
    if (progress.stage == "verify" && progress.done == 1) ++measured;
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] { fresh.plan(matrix(90, 91, 4), options); });
  }
  EXPECT_EQ(measured, 1);
}

TEST_F(EngineChoice, TuneRemembersItsWinner) {
  const Problem problem = matrix(211, 97, 2);
  EXPECT_THROW(engine().plan(problem, {.policy = Policy::cached_only}), Error);
  const TuneReport report = engine().tune(problem, quickly().tune);
  ASSERT_TRUE(report.winner);
  EXPECT_EQ(engine().plan(problem, {.policy = Policy::cached_only}).variant(),
            report.trials[*report.winner].variant);
}

TEST_F(EngineChoice, TuneTriesEveryHostStrategyAndMeasuresTheRoof) {
  TuneOptions options =
      surely().tune;  // beside this program nothing is installed: all are strangers
  options.every_strategy = true;
  const TuneReport report = engine().tune(matrix(150, 130, 4), options);
  ASSERT_TRUE(report.roof);
  EXPECT_TRUE(report.trials[*report.roof].role == Role::copy);
  for (const PluginInfo& plugin : engine().plugins())
    for (const StrategyInfo& strategy : plugin.strategies) {
      if (strategy.device_kind != DeviceKind::host) continue;
      if (!serves_elements(strategy.element_sizes, 4)) continue;
      const auto found = std::ranges::find_if(report.trials, [&](const Trial& trial) {
        return trial.variant.strategy == strategy.name &&
               (trial.detail == "works in place only" ||
                trial.detail.starts_with("needs rows of at most 16 elements") ||
                trial.detail.starts_with("needs two batch dimensions") ||
                trial.detail.starts_with("needs elements of 3 to 31 bytes") ||
                trial.detail.starts_with("this machine shows no GPU") ||
                (trial.verdict == Verdict::ok && trial.timing && trial.timing->median > 0));
      });
      EXPECT_NE(found, report.trials.end()) << strategy.name;
    }
}

TEST_F(EngineChoice, WithoutADeviceCudaStrategiesAreListedWithTheReason) {
  const std::string reason = cuda_unavailable_reason();
  if (reason.empty()) GTEST_SKIP() << "this machine has a CUDA device";
  const TuneReport report = engine().tune(matrix(50, 60, 4), quickly().tune);
  std::size_t offered = 0;
  for (const PluginInfo& plugin : engine().plugins())
    for (const StrategyInfo& strategy : plugin.strategies)
      offered += strategy.device_kind == DeviceKind::cuda ? 1 : 0;
  const auto listed = std::ranges::count_if(report.trials, [&](const Trial& trial) {
    return trial.verdict == Verdict::unsupported && trial.detail == reason;
  });
  EXPECT_EQ(static_cast<std::size_t>(listed), offered);
}

TEST_F(EngineChoice, EstimateNeedsNoClock) {
  PlanOptions options{.policy = Policy::estimate};
  options.tune.progress = [](const Progress&) { ADD_FAILURE() << "something was tried"; };
  const auto in = numbers(1000);
  std::vector<std::uint32_t> out(in.size());
  const Plan plan = engine().plan(matrix(25, 40, 4), options);
  EXPECT_TRUE(plan.is_estimate());
  plan.execute(in.data(), out.data());
  expect_transposed(in, out, 25, 40);
  EXPECT_EQ(engine().plan(matrix(25, 40, 4), options).variant(), plan.variant());  // remembered
  // An estimate does not stand for a measurement, and gives way to one.
  EXPECT_THROW(engine().plan(matrix(25, 40, 4), {.policy = Policy::cached_only}), Error);
  const Plan measured = engine().plan(matrix(25, 40, 4), surely());
  EXPECT_FALSE(measured.is_estimate());
  const Plan known = engine().plan(matrix(25, 40, 4), options);
  EXPECT_EQ(known.variant(), measured.variant());
  EXPECT_FALSE(known.is_estimate());
}

// While one thread measures, which it says from within its progress, `others` is run by another.
// False: that did not come to its end.
bool ends_while_measuring(Engine& engine, const std::function<void()>& others) {
  std::future_status status{};
  std::future<void> ended;
  TuneOptions options = quickly().tune;
  options.progress = [&](const Progress&) {
    if (ended.valid()) return;
    ended = std::async(std::launch::async, others);
    status = ended.wait_for(std::chrono::seconds(120));
  };
  engine.tune(matrix(64, 65, 4), options);
  ended.get();
  return status == std::future_status::ready;
}

// Issue: an estimate behind a tune of 10 s waited 10 s.
TEST_F(EngineChoice, WhoMayEstimateWaitsForNobodyWhoMeasures) {
  Engine fresh(own_plugins());
  EXPECT_TRUE(ends_while_measuring(fresh, [&] {
    PlanOptions options{.policy = Policy::estimate};
    EXPECT_TRUE(fresh.plan(matrix(30, 31, 4), options).is_estimate());
    options = {.policy = Policy::measure, .tune = {.budget_seconds = 0}};
    EXPECT_TRUE(fresh.plan(matrix(30, 32, 4), options).is_estimate());
    options.tune.budget_seconds = 0.02;  // which ends while it waits
    EXPECT_TRUE(fresh.plan(matrix(30, 33, 4), options).is_estimate());
    options.tune = {.budget_seconds = 3600, .interrupted = [] { return true; }};
    EXPECT_TRUE(fresh.plan(matrix(30, 34, 4), options).is_estimate());
    EXPECT_FALSE(fresh.plugins().empty());
  }));
  EXPECT_FALSE(fresh.plan(matrix(30, 33, 4), surely()).is_estimate());  // measured, now that it can
}

// Issue: a tune from within the progress of another waited for itself for ever.
TEST_F(EngineChoice, AMeasurementIsNotBegunByOneThatRuns) {
  Engine fresh(own_plugins());
  Engine other(own_plugins());
  bool is_told = false;
  TuneOptions options = surely().tune;
  options.progress = [&](const Progress&) {
    if (std::exchange(is_told, true)) return;
    for (Engine* const engine : {&fresh, &other}) {
      EXPECT_NE(refusal_of([&] {
                  engine->tune(matrix(30, 31, 4), surely().tune);
                }).find("from a function that a measurement calls in this thread"),
                std::string::npos);
      EXPECT_TRUE(engine->plan(matrix(30, 31, 4), surely()).is_estimate());
    }
  };
  EXPECT_TRUE(fresh.tune(matrix(64, 66, 4), options).winner);
  EXPECT_TRUE(is_told);
  EXPECT_TRUE(fresh.tune(matrix(30, 31, 4), surely().tune).winner);
}

// Issue: a tune behind that of another thread did not ask whether it was interrupted.
TEST_F(EngineChoice, AnInterruptEndsTheWaitForAnotherThreadsTune) {
  Engine fresh(own_plugins());
  EXPECT_TRUE(ends_while_measuring(fresh, [&] {
    TuneOptions options = surely().tune;
    options.interrupted = [] { return true; };
    const TuneReport report = fresh.tune(matrix(30, 31, 4), options);
    EXPECT_TRUE(report.interrupted);
    EXPECT_FALSE(report.winner);
    EXPECT_EQ(report.problem.rows, 30);
  }));
}

// Issue: what an interrupted measurement had tried until then stayed the engine's choice.
TEST_F(EngineChoice, AnInterruptedPlanIsAnEstimateAndTheNextCallMeasures) {
  for (const int after : {0, 1, 4, 8}) {
    SCOPED_TRACE(after);
    Engine fresh(own_plugins());
    int asked = 0;
    PlanOptions options = surely();
    options.tune.interrupted = [&] { return asked++ >= after; };
    const Problem problem = matrix(30 + after, 31, 4);
    EXPECT_TRUE(fresh.plan(problem, options).is_estimate());
    EXPECT_FALSE(fresh.plan(problem, surely()).is_estimate());
  }
}

// Issue: `plan` of 3x3 with a budget of 0 waited 71 s.
TEST_F(EngineChoice, WhoMayEstimateWaitsForNoOtherProcess) {
  const DeviceLock other("host", 60, nullptr);
  ASSERT_TRUE(other.held()) << other.trouble();
  Engine fresh(own_plugins());
  PlanOptions options{.policy = Policy::measure, .tune = {.budget_seconds = 0}};
  EXPECT_TRUE(fresh.plan(matrix(3, 3, 4), options).is_estimate());
  options.tune.budget_seconds = 0.02;
  EXPECT_TRUE(fresh.plan(matrix(3, 4, 4), options).is_estimate());
}

Problem aligned_to(Problem problem, std::uint32_t bytes) {
  problem.in_alignment = problem.out_alignment = bytes;
  return problem;
}

TEST_F(EngineChoice, ARelativeFolderOfLocksIsToldOnce) {
  const std::string own = std::getenv("XPOSE_LOCK_FOLDER");
  setenv("XPOSE_LOCK_FOLDER", "locks", 1);
  std::size_t told = 0;
  EngineOptions options = own_plugins();
  options.warn = [&](std::string_view text) {
    told += text.starts_with("XPOSE_LOCK_FOLDER is 'locks', which is relative") ? 1 : 0;
  };
  Engine fresh(options);
  EXPECT_EQ(told, 0U);  // before anything is measured
  for (const std::int64_t rows : {81, 82}) fresh.plan(matrix(rows, 80, 4), quickly());
  EXPECT_EQ(told, 1U);
  setenv("XPOSE_LOCK_FOLDER", own.c_str(), 1);
}

// A folder with one plugin, whose strategies serve any alignment: whatever wins is found.
class AnyAlignment : public EngineTest {
 protected:
  AnyAlignment() {
    std::filesystem::create_directories(folder_);
    std::filesystem::copy(XPOSE_PLUGINS "/host_naive.so", folder_);
  }
  ~AnyAlignment() override { std::filesystem::remove_all(folder_); }
  EngineOptions options() const {
    EngineOptions options = own_plugins();
    options.plugin_folders = {folder_};
    return options;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("xpose-alignment-" + std::to_string(getpid()));
};

// Issue: a plan asked for with matrix(), aligned to 16, did not find what `tune` learned at 256.
TEST_F(AnyAlignment, AChoiceIsFoundFromOtherAlignments) {
  const PlanOptions known{.policy = Policy::cached_only};
  for (const std::uint32_t tuned : {256U, 16U}) {
    Engine fresh(options());
    const Problem problem = matrix(96, 64, 4);
    const TuneReport report = fresh.tune(aligned_to(problem, tuned), quickly().tune);
    ASSERT_TRUE(report.winner);
    for (const std::uint32_t asked : {16U, 32U, 64U, 128U, 256U}) {
      const Plan plan = fresh.plan(aligned_to(problem, asked), known);
      EXPECT_EQ(plan.variant().strategy, report.trials[*report.winner].variant.strategy)
          << tuned << " for " << asked;
      EXPECT_FALSE(plan.is_estimate());
    }
    EXPECT_THROW(fresh.plan(aligned_to(problem, 4), known), Error);  // other strategies are fast
  }
}

}  // namespace
}  // namespace xpose
