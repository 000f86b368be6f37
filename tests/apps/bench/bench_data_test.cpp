// The standard table and what becomes of a tune: results, documents, sentences.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "bench/bench_table.hpp"
#include "bench_fixture.hpp"
#include "output/json_reader.hpp"

namespace xpose::app {
namespace {

TEST(StandardTable, EveryCellIsAWholeProblemWithMarks) {
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
    std::set<std::string> names;
    for (const Cell& found : standard_table(kind)) {
      SCOPED_TRACE(found.name);
      EXPECT_TRUE(names.insert(found.name).second);
      EXPECT_FALSE(found.row.empty());
      EXPECT_EQ(found.problem.device, (Device{kind, 0}));
      EXPECT_GT(found.problem.rows * found.problem.cols, 0);
      if (found.has_marks())
        EXPECT_LT(found.reach, found.aim);
      else
        EXPECT_EQ(found.aim, 0);
      if (found.problem.in_place) {
        EXPECT_EQ(found.problem.rows, found.problem.cols);
        EXPECT_EQ(found.problem.in_ld, found.problem.out_ld);
      }
    }
  }
  EXPECT_EQ(standard_table(DeviceKind::cuda).size(), 40U);
  EXPECT_EQ(standard_table(DeviceKind::host).size(), 22U);
}

// What the strategies of fat elements and of short sides are there for.
TEST(StandardTable, HasFatElementsAndOnTheHostShortSidesAndSmallMatrices) {
  const auto count = [](DeviceKind kind, const std::string& row) {
    return std::ranges::count(standard_table(kind), row, &Cell::row);
  };
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
    EXPECT_EQ(count(kind, "fat elements"), 2);
    EXPECT_GT(count(kind, "a side of 3"), 0);
    EXPECT_GT(count(kind, "small matrices"), 0);
    for (const Cell& found : standard_table(kind))
      EXPECT_EQ(found.problem.element_bytes > 16, found.row.starts_with("fat elements"))
          << found.name;
  }
  EXPECT_EQ(count(DeviceKind::host, "fat elements in place"), 1);
}

TEST(StandardTable, SquaresFillTheirMemoryAndHaveAlignedRows) {
  for (const Cell& found : standard_table(DeviceKind::cuda)) {
    const bool gibibyte = found.row == "square of 1 GiB";
    if (!gibibyte && found.row != "square of 64 MiB") continue;
    SCOPED_TRACE(found.name);
    const Problem& problem = found.problem;
    EXPECT_EQ(problem.rows, problem.cols);
    EXPECT_EQ(problem.cols * problem.element_bytes % 64, 0);
    const double wanted = gibibyte ? 0x1p30 : 0x1p26;
    EXPECT_NEAR(static_cast<double>(problem.rows * problem.cols * problem.element_bytes) / wanted,
                1, 0.001);
  }
}

TEST(StandardTable, OneElementMoreMisalignsRows) {
  for (const Cell& found : standard_table(DeviceKind::cuda))
    if (found.row == "leading dimensions one element longer") {
      EXPECT_EQ(found.problem.in_ld, found.problem.cols + 1);
      EXPECT_EQ(found.problem.out_ld, found.problem.rows + 1);
      return;
    }
  FAIL() << "the row is gone";
}

TEST(BenchTable, AGroupHasItsMean) {
  CellResult good = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  good.cell.group = "TTC, 4 bytes";
  CellResult bad = good;
  bad.winner.seconds = 0.008;
  bad.estimate = bad.winner;
  const BenchRun run = run_of({good, bad, skipped_cell(good.cell, kHost, "refused")});
  EXPECT_EQ(mean_sentences(run, kHost),
            "TTC, 4 bytes: 65.0 % of the roof in the mean of 2 of 3 problems, 50.0 % at least; "
            "1 of 2 estimates within 10 % of the winner, 64.0 % of it at least (4095x4097, 4 bytes)"
            ".\nAll: 1 of 2 estimates within 10 % of the winner, 64.0 % of it at least (4095x4097, "
            "4 bytes).");
  EXPECT_EQ(mean_sentences(run, Device{DeviceKind::cuda, 0}), "");
  std::ostringstream out;
  print_bench(out, run, {});
  EXPECT_NE(out.str().find(mean_sentences(run, kHost)), std::string::npos) << out.str();
  EXPECT_NE(to_markdown_text(run).find("65.0 % of the roof in the mean"), std::string::npos);
}

TEST(BenchCell, TakesRoofWinnerAndTheBestOfEachPeer) {
  const CellResult result = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  EXPECT_EQ(result.skipped, "");
  EXPECT_EQ(result.roof.variant, "copy_stream{tile=32}");
  EXPECT_EQ(result.winner, (TimedVariant{"mine{tile=32}", "one, \"two\"", 0.005, 0.01}));
  EXPECT_EQ(result.share(), 0.004 / 0.005);
  ASSERT_TRUE(result.estimate);
  EXPECT_EQ(result.estimate->variant, "guess{tile=32}");
  EXPECT_DOUBLE_EQ(result.estimate_share(), 0.64);
  ASSERT_EQ(result.peers.size(), 2U);
  EXPECT_EQ(result.peers[0], (PeerFigure{"eigen_transpose{tile=32}", "ok", 0.008}));
  EXPECT_EQ(result.peers[1], (PeerFigure{"openblas_omatcopy", "wrong_result", 0}));
  EXPECT_EQ(result.best_peer(), result.peers.data());
}

TEST(BenchCell, MarksAreMetFromTheirShareOn) {
  CellResult result = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  result.cell.reach = 80;
  result.cell.aim = 81;
  EXPECT_TRUE(result.reaches());
  EXPECT_FALSE(result.aims());
  result.cell.reach = 81;
  EXPECT_FALSE(result.reaches());
}

// A figure that nobody has set is neither met nor missed, in any form of the table.
TEST(BenchCell, WithoutMarksNothingIsReachedOrMissed) {
  CellResult marked = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  const CellResult bare = result_of(cell("fat elements, 1024x1024, 64 bytes"), kHost, report());
  ASSERT_FALSE(bare.cell.has_marks());
  const Json json = Json::parse(to_json_text(run_of({bare, marked})))["cells"];
  for (const char* field : {"reach", "reaches", "aim", "aims"}) {
    EXPECT_TRUE(json[0][field].is_null()) << field;
    EXPECT_FALSE(json[1][field].is_null()) << field;
  }
  EXPECT_NE(to_csv_text(run_of({bare})).find(",0.8,,,,,guess"), std::string::npos);
  std::ostringstream out;
  print_bench(out, run_of({bare, skipped_cell(bare.cell, kHost, "too large")}), {});
  EXPECT_NE(out.str().find("80.0  -      -      mine{tile=32}"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("skipped  -      -      too large"), std::string::npos) << out.str();
  EXPECT_EQ(sentence(run_of({bare})), "No measured cell has a mark.");
  EXPECT_EQ(sentence(run_of({bare, marked})),
            "0 of 1 cells reach their mark, 0 their aim; the worst is \"4095x4097, 4 bytes\" "
            "on host, at 80.0 % of the roof with a mark of 82 %; 1 was measured without a mark.");
}

TEST(BenchCell, SaysWhyThereIsNoWinner) {
  TuneReport none;
  EXPECT_EQ(result_of(cell("4095x4097, 4 bytes"), kHost, none).skipped,
            "no loaded strategy serves the device");
  none.trials = {without_time("a", Verdict::unsupported, "does not work in place"),
                 without_time("b", Verdict::unsupported, "no CUDA device")};
  CellResult result = result_of(cell("4095x4097, 4 bytes"), kHost, none);
  EXPECT_EQ(result.skipped, "no strategy serves it: a does not work in place");
  EXPECT_FALSE(result.wrong);
  none.trials.push_back(without_time("c", Verdict::wrong_result, "out[1,2]"));
  result = result_of(cell("4095x4097, 4 bytes"), kHost, none);
  EXPECT_EQ(result.skipped, "no strategy was right: c wrong_result: out[1,2]");
  EXPECT_TRUE(result.wrong);
}

TEST(BenchCell, WithoutARoofThereIsNoShare) {
  TuneReport bare = report();
  bare.roof.reset();
  EXPECT_NE(result_of(cell("4095x4097, 4 bytes"), kHost, bare).skipped, "");
}

TEST(BenchTable, OneSentenceNamesTheWorst) {
  CellResult good = result_of(cell("4095x4097, 4 bytes"), kHost, report());
  good.cell.reach = 70;
  good.cell.aim = 75;
  CellResult bad = result_of(cell("512x512, warm, one thread, 4 bytes"), kHost, report());
  bad.cell.reach = 90;
  BenchRun run = run_of({good, bad});
  EXPECT_EQ(sentence(run),
            "1 of 2 cells reach their mark, 1 their aim; the worst is \"512x512, warm, one "
            "thread, 4 bytes\" on host, at 80.0 % of the roof with a mark of 90 %.");
  run.results = {skipped_cell(good.cell, kHost, "too large")};
  EXPECT_EQ(sentence(run), "No cell was measured; 1 was skipped; 1 was not reached.");
}

TEST(BenchTable, ShowsMarksPeersAndReasons) {
  std::ostringstream out;
  print_bench(out,
              run_of({result_of(cell("4095x4097, 4 bytes"), kHost, report()),
                      skipped_cell(cell("square, 4096x4096, 16 bytes"), kHost, "too large")}),
              {});
  EXPECT_NE(out.str().find("80.0  82  no  94  no  mine{tile=32}"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("eigen_transpose 50.0, openblas_omatcopy wrong_result"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("skipped"), std::string::npos);
  EXPECT_NE(out.str().find("too large"), std::string::npos);
}

}  // namespace
}  // namespace xpose::app
