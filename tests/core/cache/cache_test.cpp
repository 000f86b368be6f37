#include "cache/cache.hpp"

#include <chrono>
#include <thread>

#include "cache/cache_file.hpp"
#include "cache/cache_rows.hpp"
#include "cache/in_flight.hpp"
#include "cache_fixture.hpp"

namespace xpose {
namespace {

class CacheTest : public CacheFixture {
 protected:
  Decision stored(const std::string& problem, std::int64_t when = 1000) {  // as find() gives it
    Decision decision = decision_of(problem, when);
    decision.trials.clear();
    return decision;
  }
  std::int64_t integer_of(const std::string& sql) {
    CacheFile cache = open_cache_file(file);
    Statement row = cache.database.run(sql);
    return row.step() ? row.integer(0) : -1;
  }
};

TEST_F(CacheTest, AnotherProcessFindsWhatWasStored) {
  ASSERT_EQ(end_of(start_child([&] {
              Cache cache(file, "", listener());
              cache.store(decision_of("p"));
              cache.store(Quarantine{"d1", "s", "libidea.so", Verdict::timed_out, "words", 3});
              cache.store_description("d1", "1.0", std::string("a\0b", 3));
              return warnings.empty();
            })),
            0);
  Cache cache(file, "", listener());
  EXPECT_EQ(cache.file(), file);
  EXPECT_EQ(cache.find(key_of("p")), stored("p"));
  EXPECT_EQ(cache.find_quarantine("d1", "s"),
            (Quarantine{"d1", "s", "libidea.so", Verdict::timed_out, "words", 3}));
  EXPECT_EQ(cache.find_description("d1", "1.0"), std::string("a\0b", 3));
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(CacheTest, EveryPartOfAKeyCounts) {
  Cache cache(file, "", listener());
  cache.store(decision_of("p"));
  for (auto part : {&CacheKey::device, &CacheKey::driver, &CacheKey::abi, &CacheKey::plugins,
                    &CacheKey::problem, &CacheKey::policy}) {
    CacheKey other = key_of("p");
    other.*part += 'x';
    EXPECT_EQ(cache.find(other), std::nullopt);
  }
  EXPECT_EQ(cache.find_quarantine("d1", "smem"), std::nullopt);
  EXPECT_EQ(cache.find_description("d1", "1.0"), std::nullopt);
}

TEST_F(CacheTest, LaterDecisionReplacesAndTakesTheOldTrialsAlong) {
  Cache cache(file, "", listener());
  cache.store(decision_of("p", 10));
  Decision later = decision_of("p", 20);
  later.winner.strategy = "naive";
  later.trials.resize(1);
  cache.store(later);
  EXPECT_EQ(cache.find(key_of("p"))->winner.strategy, "naive");
  EXPECT_EQ(read_cache(file), (CacheContents{{later}, {}}));
}

TEST_F(CacheTest, VerdictOfANewerVersionIsAMiss) {
  Cache cache(file, "", listener());
  cache.store(Quarantine{"d1", "s", "libidea.so", Verdict::crashed, "", 3});
  open_cache_file(file).database.change("UPDATE quarantine SET verdict = 'melted'");
  EXPECT_EQ(cache.find_quarantine("d1", "s"), std::nullopt);
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(CacheTest, DescriptionIsOneOfDigestAndAbi) {
  Cache cache(file, "", listener());
  cache.store_description("d1", "1.0", "old");
  cache.store_description("d1", "1.0", "new");
  cache.store_description("d1", "1.1", "other");
  EXPECT_EQ(cache.find_description("d1", "1.0"), "new");
  EXPECT_EQ(cache.find_description("d1", "1.1"), "other");
}

// ---------------------------------------------------------------------------------- file digests

TEST_F(CacheTest, DigestHoldsWhileNothingAboutTheFileChanges) {
  Cache cache(file, "", listener());
  const FileIdentity identity{"/p.so", UINT64_MAX, UINT64_MAX - 1, 10, 20, 30};
  cache.store_digest(identity, "abc");
  EXPECT_EQ(cache.find_digest(identity), "abc");
  std::array<FileIdentity, 6> others;
  others.fill(identity);
  others[0].path += "2";
  others[1].device = 1;
  others[2].inode = 1;
  others[3].bytes = 1;
  others[4].modified = 1;
  others[5].changed = 1;
  for (const FileIdentity& other : others) EXPECT_EQ(cache.find_digest(other), std::nullopt);
  cache.store_digest(others[3], "def");
  EXPECT_EQ(cache.find_digest(identity), std::nullopt);
  EXPECT_EQ(cache.find_digest(others[3]), "def");
}

TEST_F(CacheTest, DigestOfAFileThatJustChangedIsNotStored) {
  Cache cache(file, "", listener());
  const auto ago = [](int seconds) {
    const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
    return (now - std::chrono::seconds(seconds)).count();
  };
  const auto is_stored = [&](std::int64_t modified, std::int64_t changed) {
    const FileIdentity identity{"/p.so", 1, 2, 3, modified, changed};
    cache.store_digest(identity, "abc");
    return cache.find_digest(identity).has_value();
  };
  EXPECT_FALSE(is_stored(ago(0), ago(100)));
  EXPECT_FALSE(is_stored(ago(100), ago(0)));
  EXPECT_FALSE(is_stored(ago(-100), ago(100)));  // from the future
  EXPECT_TRUE(is_stored(ago(60), ago(60)));
}

// ------------------------------------------------------------------------------------- in flight

TEST_F(CacheTest, TrialIsInFlightUntilItEnds) {
  Cache cache(file, "", listener());
  const std::string count = "SELECT count(*) FROM in_flight WHERE strategy = ";
  cache.begin_trial({"d1", "s", "what", 1});
  EXPECT_EQ(integer_of(count + "'s'"), 1);
  cache.end_trial();
  EXPECT_EQ(integer_of(count + "'s'"), 0);
  cache.begin_trial({"d1", "s", "what", 1});  // not the first: another way to the disk
  EXPECT_EQ(integer_of(count + "'s'"), 1);
  EXPECT_TRUE(cache.take_unfinished().empty());
  EXPECT_EQ(integer_of(count + "'s'"), 1);
}

TEST_F(CacheTest, TrialThatTookTheMachineDownIsTakenOnce) {
  Cache cache(file, "", listener());
  cache.begin_trial({"d1", "s", "what", 1});
  open_cache_file(file).database.change("UPDATE in_flight SET boot = 'another'");
  const auto taken = cache.take_unfinished();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].strategy, "s");
  EXPECT_TRUE(cache.take_unfinished().empty());
}

// ----------------------------------------------------------------------------- threads, processes

TEST_F(CacheTest, ThreadsShareOne) {
  Cache cache(file, "", listener());
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int index = 0; index < 4; ++index)
    threads.emplace_back([&, index] {
      for (int count = 0; count < 20; ++count) {
        const std::string problem = std::to_string(index * 100 + count);
        cache.store(decision_of(problem));
        cache.find(key_of(problem));
        cache.begin_trial({"d1", problem, "what", 1});
        cache.end_trial();
        cache.take_unfinished();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_cache(file).decisions.size(), 80U);
}

TEST_F(CacheTest, SixteenProcessesThatCreateTheFileLoseNoRow) {
  constexpr int kProcesses = 16, kEach = 50;
  ASSERT_TRUE(run_at_once(kProcesses, [&](int index) {
    Cache cache(file, "", listener());
    for (int count = 0; count < kEach; ++count) {
      const std::string name = std::to_string(index * kEach + count);
      cache.begin_trial({"d1", name, "what", 1});
      cache.store(decision_of(name));
      cache.store(Quarantine{"d1", name, "libidea.so", Verdict::crashed, "words", 3});
    }
    for (const std::string& warning : warnings) std::fprintf(stderr, "%s\n", warning.c_str());
    return warnings.empty();
  }));
  EXPECT_EQ(integer_of("SELECT count(*) FROM in_flight"), kProcesses);
  const CacheContents contents = read_cache(file);
  EXPECT_EQ(contents.quarantine.size(), 1U * kProcesses * kEach);
  ASSERT_EQ(contents.decisions.size(), 1U * kProcesses * kEach);
  for (const Decision& decision : contents.decisions)
    EXPECT_EQ(decision, decision_of(decision.key.problem));
}

TEST_F(CacheTest, KilledWritersLeaveASoundFileAndWholeDecisions) {
  std::size_t seen = 0;
  for (int number = 0; number < 50; ++number) {
    int begun[2];
    ASSERT_EQ(pipe(begun), 0);
    const pid_t child = start_child([&]() -> bool {
      Cache cache(file, "", {});
      for (int count = 0;; ++count) {
        const std::string name = std::to_string(number) + "/" + std::to_string(count % 40);
        cache.begin_trial({"d1", "smem", "what", 1});
        cache.store(decision_of(name, count));
        cache.end_trial();
        if (count == 0 && write(begun[1], "x", 1) != 1) return false;
      }
    });
    char byte = 0;
    close(begun[1]);
    EXPECT_EQ(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    std::this_thread::sleep_for(std::chrono::microseconds(number * 7919 % 20000));
    kill(child, SIGKILL);
    ASSERT_EQ(end_of(child), -1);
    CacheFile cache = open_cache_file(file);
    Statement check = cache.database.run("PRAGMA integrity_check");
    ASSERT_TRUE(check.step());
    ASSERT_EQ(check.text(0), "ok");
    const CacheContents contents = read_rows(cache.database);
    ASSERT_GT(contents.decisions.size(), seen);  // what was there, and the child's first
    seen = contents.decisions.size();
    for (const Decision& decision : contents.decisions)
      ASSERT_EQ(decision, decision_of(decision.key.problem, decision.when));
  }
}

}  // namespace
}  // namespace xpose
