#include "worker/worker_runner.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <stdexcept>

#include "plugin/plugin_file.hpp"
#include "problem/normal_form.hpp"
#include "worker/kernel_kills.hpp"

// What real plugins come to is tested in tests/zoo.
namespace xpose {
namespace {

// A strategy of the forging worker, which has no plugins, tried with a fresh cache.
class ForgedTrial {
 public:
  explicit ForgedTrial(const std::string& trick, double stage_seconds)
      : worker_(FORGING_WORKER, stage_seconds), runner_(needs()) {
    strategy_.info.name = trick;
    strategy_.digest = "0123";
  }

  Outcome verify() { return runner_.verify(candidate_of(strategy_, {}, {})); }
  std::optional<Quarantine> quarantine() { return cache_.find_quarantine("0123", name()); }
  std::uint64_t workers() const { return worker_.generation(); }

 private:
  const std::string& name() const { return strategy_.info.name; }
  WorkerRunner::Needs needs() {
    return {worker_,
            cache_,
            {},
            normal_form(matrix(20, 30, 4)),
            1,
            false,
            [](const std::string&) { return std::filesystem::path("/forged.so"); },
            {}};
  }

  Worker worker_;
  Cache cache_{"", "", {}};
  WorkerRunner runner_;
  Strategy strategy_;
};

TEST(WorkerRunner, AHangPastTheDefaultDeadlineIsRemembered) {
  ForgedTrial trial("stopping_early", EngineOptions{}.stage_seconds);
  EXPECT_EQ(trial.verify(), (Outcome{Verdict::timed_out, "launch took more than 10 s"}));
  ASSERT_TRUE(trial.quarantine());
  EXPECT_EQ(trial.quarantine()->verdict, Verdict::timed_out);
}

TEST(WorkerRunner, AHangPastAShorterDeadlineIsKnownForThisRunAlone) {
  ForgedTrial trial("stopping_early", 0.1);
  const Outcome outcome = trial.verify();
  EXPECT_EQ(outcome.verdict, Verdict::timed_out);
  EXPECT_FALSE(trial.quarantine());
  EXPECT_EQ(trial.workers(), 2U);
  EXPECT_EQ(trial.verify(), outcome);
  EXPECT_EQ(trial.workers(), 2U);  // it was not asked again
}

TEST(WorkerRunner, AWorkerThatKillsItselfAloneAsWellCrashed) {
  if (!kernel_kills()) GTEST_SKIP() << "SKIPPED: this kernel does not count whom it kills";
  ForgedTrial trial("killing", 60);
  EXPECT_EQ(trial.verify().verdict, Verdict::crashed);
  EXPECT_TRUE(trial.quarantine());
}

// Two plugins that are in the worker, of which one crashes when it is asked for a quote.
class Announced : public testing::Test {
 protected:
  Announced() {
    load(naive_, "host_naive_row", kNaive);
    load(crashing_, "crash_in_quote", ZOO_CRASH_IN_QUOTE);
  }

  void load(Strategy& strategy, const std::string& name, const std::filesystem::path& file) {
    strategy.digest = PluginFile::open(file).digest();
    const Reply loaded = worker_.load(file, strategy.digest);
    if (!loaded.plugin) throw std::runtime_error(loaded.outcome.detail);
    strategy.info = *find_strategy(loaded.plugin->strategies, name);
    files_[strategy.digest] = file;
  }
  Outcome quoted(const Strategy& strategy) {
    const std::vector<QuoteAnswer> answers = runner_.quote(strategy, kConfigs);
    EXPECT_EQ(answers.size(), 1U);
    return answers.at(0).outcome;
  }
  // A sanitizer makes an exit of a crash.
  static bool is_end_of_process(const Outcome& outcome) {
    return outcome.verdict == Verdict::crashed || outcome.verdict == Verdict::exited;
  }
  bool is_quarantined(const Strategy& strategy) {
    return cache_.find_quarantine(strategy.digest, strategy.info.name).has_value();
  }

  const std::filesystem::path kNaive = std::filesystem::path(XPOSE_PLUGINS) / "host_naive.so";
  const std::vector<Values> kConfigs = {{}};
  std::map<std::string, std::filesystem::path> files_;
  Worker worker_{XPOSE_TRIAL_PROGRAM, 60};
  Cache cache_{"", "", {}};
  WorkerRunner runner_{{worker_,
                        cache_,
                        {},
                        normal_form(matrix(20, 30, 4)),
                        1,
                        false,
                        [this](const std::string& digest) { return files_.at(digest); },
                        {}}};
  Strategy naive_, crashing_;
};

TEST_F(Announced, AnswersAreThoseOfTheQuestion) {
  const std::vector<QuoteAnswer> asked = runner_.quote(naive_, kConfigs);
  runner_.announce(std::vector<Question>{{&naive_, kConfigs}});
  EXPECT_EQ(runner_.quote(naive_, kConfigs), asked);
  EXPECT_EQ(runner_.quote(naive_, kConfigs), asked);  // anew
  EXPECT_EQ(worker_.generation(), 1U);
}

TEST_F(Announced, ACrashIsTriedOnceMoreAndHarmsNoneAfterIt) {
  runner_.announce(std::vector<Question>{{&crashing_, kConfigs}, {&naive_, kConfigs}});
  EXPECT_FALSE(worker_.has_loaded(naive_.digest));  // it was asked, and its process is gone
  EXPECT_TRUE(is_end_of_process(quoted(crashing_)));
  EXPECT_EQ(worker_.generation(), 2U);
  EXPECT_EQ(quoted(naive_), Outcome{});
  EXPECT_TRUE(is_quarantined(crashing_));
  EXPECT_FALSE(is_quarantined(naive_));
}

TEST_F(Announced, ACrashHarmsNoneBeforeIt) {
  runner_.announce(std::vector<Question>{{&naive_, kConfigs}, {&crashing_, kConfigs}});
  EXPECT_FALSE(worker_.has_loaded(naive_.digest));
  EXPECT_EQ(quoted(naive_), Outcome{});
  EXPECT_EQ(worker_.generation(), 1U);
  EXPECT_TRUE(is_end_of_process(quoted(crashing_)));
  EXPECT_TRUE(is_quarantined(crashing_));
  EXPECT_FALSE(is_quarantined(naive_));
}

TEST_F(Announced, WhatIsNotInTheWorkerIsLoadedWhereItIsAsked) {
  worker_.end();
  runner_.announce(std::vector<Question>{{&naive_, kConfigs}});
  EXPECT_EQ(worker_.generation(), 1U);
  EXPECT_EQ(quoted(naive_), Outcome{});
  EXPECT_EQ(worker_.generation(), 2U);
}

}  // namespace
}  // namespace xpose
