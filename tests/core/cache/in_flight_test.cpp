#include "cache/in_flight.hpp"

#include <sys/prctl.h>

#include "cache/cache_file.hpp"
#include "cache_fixture.hpp"

namespace xpose {
namespace {

class InFlightTest : public CacheFixture {
 protected:
  static Unfinished trial(const std::string& strategy) {
    return {"d1", strategy, strategy + "{tile=64} on 8x8 of 4 bytes on cuda:0", 42};
  }
  void put(const ProcessIdentity& process, const std::string& strategy) {
    put_in_flight(cache.database, process, trial(strategy));
  }
  std::int64_t rows() {
    Statement row = cache.database.run("SELECT count(*) FROM in_flight");
    row.step();
    return row.integer(0);
  }

  CacheFile cache = open_cache_file(file);
  ProcessIdentity self = this_process();
};

TEST_F(InFlightTest, ProcessKnowsItself) {
  EXPECT_EQ(self.pid, getpid());
  EXPECT_GT(self.started, 0);
  EXPECT_EQ(self.boot.size(), 36U);
  EXPECT_FALSE(self.machine.empty());
}

TEST_F(InFlightTest, NameOfTheProcessDoesNotConfuseItsStart) {
  prctl(PR_SET_NAME, "a) R 1 (b");
  EXPECT_EQ(this_process().started, self.started);
}

TEST_F(InFlightTest, EndedTrialLeavesNothing) {
  EXPECT_FALSE(any_in_flight(cache.database));
  put(self, "s");
  put(self, "t");
  EXPECT_TRUE(any_in_flight(cache.database));
  EXPECT_EQ(rows(), 1);
  remove_in_flight(cache.database, self);
  EXPECT_FALSE(any_in_flight(cache.database));
}

TEST_F(InFlightTest, TrialOfAnotherBootIsTakenOnce) {
  ProcessIdentity before = self;  // the same number and start: only the boot differs
  before.boot = "another";
  put(before, "s");
  const auto taken = take_unfinished(cache.database, self);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].digest, "d1");
  EXPECT_EQ(taken[0].strategy, "s");
  EXPECT_EQ(taken[0].what, "s{tile=64} on 8x8 of 4 bytes on cuda:0");
  EXPECT_EQ(taken[0].since, 42);
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
}

TEST_F(InFlightTest, TrialOfARunningProcessStays) {
  put(self, "s");
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
  EXPECT_EQ(rows(), 1);
}

TEST_F(InFlightTest, TrialOfAKilledProcessIsDroppedSilently) {
  const pid_t child = start_child([] { return pause() == 0; });
  put({self.machine, self.boot, child, 1}, "s");
  kill(child, SIGKILL);
  end_of(child);
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
  EXPECT_EQ(rows(), 0);
}

TEST_F(InFlightTest, ReusedProcessNumberIsNotTheProcess) {
  ProcessIdentity former = self;
  former.started -= 1;
  put(former, "s");
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
  EXPECT_EQ(rows(), 0);
}

TEST_F(InFlightTest, OtherMachinesKeepTheirs) {
  ProcessIdentity other = self;
  other.machine += "2";
  other.boot = "another";
  put(other, "s");
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
  EXPECT_EQ(rows(), 1);
}

TEST_F(InFlightTest, UnknownBootAccusesNobody) {
  ProcessIdentity unknown = self;
  unknown.boot = "";
  put(unknown, "s");
  EXPECT_TRUE(take_unfinished(cache.database, self).empty());
  EXPECT_EQ(rows(), 0);
}

TEST_F(InFlightTest, ExactlyOneProcessGetsEach) {
  constexpr int kProcesses = 8, kTrials = 40;
  ProcessIdentity before = self;
  before.boot = "another";
  for (before.pid = 0; before.pid < kTrials; ++before.pid) put(before, std::to_string(before.pid));
  ASSERT_TRUE(run_at_once(kProcesses, [&](int index) {
    CacheFile own = open_cache_file(file);
    std::ofstream got(folder / ("got" + std::to_string(index)));
    for (const Unfinished& unfinished : take_unfinished(own.database, this_process()))
      got << unfinished.strategy << '\n';
    return got.good();
  }));
  std::vector<int> times(kTrials);
  for (int index = 0; index < kProcesses; ++index) {
    std::ifstream got(folder / ("got" + std::to_string(index)));
    for (int strategy = 0; got >> strategy;) ++times.at(static_cast<std::size_t>(strategy));
  }
  EXPECT_EQ(times, std::vector<int>(kTrials, 1));
}

}  // namespace
}  // namespace xpose
