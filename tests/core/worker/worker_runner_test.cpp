#include "worker/worker_runner.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace xpose
