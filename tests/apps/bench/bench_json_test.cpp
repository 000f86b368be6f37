// The document of a run, and the results that a later run keeps of it.
#include <gtest/gtest.h>

#include "bench/random_table.hpp"
#include "bench_fixture.hpp"
#include "output/json.hpp"

namespace xpose::app {
namespace {

std::vector<std::pair<Device, Cell>> host_work() {
  std::vector<std::pair<Device, Cell>> work;
  for (const Cell& found : standard_table(DeviceKind::host)) work.emplace_back(kHost, found);
  return work;
}

TEST(BenchJson, WhatWasWrittenIsKept) {
  const CellResult first = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  CellResult third = first;  // of which nothing was estimated
  third.cell = cell("square, 4096x4096, 4 bytes");
  third.estimate.reset();
  const CellResult second = skipped_cell(cell("square, 4096x4096, 16 bytes"), kHost, "no memory");
  const BenchRun run = run_of({first, second, third});
  const std::vector<CellResult> kept = earlier_results(to_json_text(run), run.setup, host_work());
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].cell.name, first.cell.name);
  EXPECT_EQ(kept[0].bytes, first.bytes);
  EXPECT_EQ(kept[0].roof, first.roof);
  EXPECT_EQ(kept[0].winner, first.winner);
  EXPECT_EQ(kept[0].estimate, first.estimate);
  EXPECT_EQ(kept[1].skipped, "no memory");
  EXPECT_EQ(kept[2].estimate, std::nullopt);
  EXPECT_EQ(kept[0].peers, first.peers);
  EXPECT_EQ(kept[0].untried, first.untried);
  EXPECT_EQ(kept[0].seconds, first.seconds);
  BenchRun again = run;
  again.results = kept;
  EXPECT_EQ(to_json_text(again), to_json_text(run));
}

// Issue: a run with --resume threw away the results of the problems that it did not name.
TEST(BenchJson, ACellThatNoTableHasIsKeptAsItIs) {
  const RandomDraw draw = {.count = 9, .seed = 5, .most_bytes = 1 << 20};
  std::vector<CellResult> results;
  for (const Cell& drawn : random_table(DeviceKind::host, draw))
    results.push_back(result_of(drawn, kHost, report()));
  const BenchRun run = run_of(results);
  BenchRun again = run;
  again.results = earlier_results(to_json_text(run), run.setup, host_work());
  EXPECT_EQ(to_json_text(again), to_json_text(run));
}

TEST(BenchJson, ACellThatIsAnotherProblemNowIsLeftOut) {
  const BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report())});
  auto work = host_work();
  for (auto& [device, known] : work) known.problem.in_ld = 9999;
  EXPECT_TRUE(earlier_results(to_json_text(run), run.setup, work).empty());
}

std::string refusal(const std::string& document, const BenchSetup& setup) {
  try {
    earlier_results(document, setup, host_work());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BenchJson, AnotherSetupOrVersionIsRefusedByTheDifference) {
  const BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report())});
  const std::string document = to_json_text(run);
  EXPECT_EQ(refusal(document, run.setup), "");
  const auto with = [&](const auto& change) {
    BenchSetup other = run.setup;
    change(other);
    return refusal(document, other);
  };
  EXPECT_EQ(with([](BenchSetup& other) { other.devices[0].name = "another"; }),
            "it was measured on host (some processor), and this run is on host (another)");
  EXPECT_EQ(with([](BenchSetup& other) { other.devices[0].memory_bytes = 1; }),
            "it was measured with another driver or memory on host (some processor)");
  EXPECT_EQ(with([](BenchSetup& other) { other.plugins[0].second = "4567"; }),
            "it was measured with other builds of plugins: host_naive");
  EXPECT_EQ(with([](BenchSetup& other) { other.plugins[0].first = "mine"; }),
            "it was measured with other builds of plugins: mine, host_naive");
  EXPECT_EQ(with([](BenchSetup& other) { other.budget_seconds = 1; }),
            "it was measured with --budget 0.25, and this run has 1.0");
  EXPECT_EQ(with([](BenchSetup& other) { other.threads = 2; }),
            "it was measured with --threads 0, and this run has 2");
  EXPECT_EQ(with([](BenchSetup& other) { other.warm = true; }),
            "it was measured without --warm, and this run has it");
  std::string older = document;
  older.replace(older.find(version()), std::string(version()).size(), "0.0.9");
  EXPECT_EQ(refusal(older, run.setup),
            std::string("it was measured by xpose 0.0.9, and this is xpose ") + version());
}

TEST(BenchJson, RefusesOtherDocuments) {
  const BenchSetup setup;
  EXPECT_THROW(earlier_results("{", setup, host_work()), Error);
  EXPECT_THROW(earlier_results(R"({"schema": "xpose.tune/1"})", setup, host_work()), Error);
  EXPECT_THROW(earlier_results(R"({"schema": "xpose.bench/1"})", setup, host_work()), Error);
  const BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report())});
  std::string cut = to_json_text(run);
  const std::string bytes = "\"bytes\": 1000";
  cut.replace(cut.find(bytes), bytes.size(), "\"bytes\": -1");
  EXPECT_THROW(earlier_results(cut, run.setup, host_work()), Error);
}

TEST(BenchJson, SaysWhetherItIsComplete) {
  BenchRun run = run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report())});
  EXPECT_TRUE(Json::parse(to_json_text(run))["complete"]);
  run.cells = 2;
  EXPECT_FALSE(Json::parse(to_json_text(run))["complete"]);
  run.cells = 1;
  run.interrupted = true;
  EXPECT_FALSE(Json::parse(to_json_text(run))["complete"]);
}

}  // namespace
}  // namespace xpose::app
