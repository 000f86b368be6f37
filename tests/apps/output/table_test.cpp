#include "output/table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "output/json.hpp"
#include "output/tune_table.hpp"

namespace xpose::app {
namespace {

std::string printed(const Table& table, std::size_t width, bool bold = false) {
  std::ostringstream out;
  table.print(out, {width, bold});
  return out.str();
}

Table people() {
  Table table({{"name", Table::left, Table::variants},
               {"launch", Table::left, Table::whole, 0, 1},
               {"time", Table::right},
               {"words", Table::left, Table::wrap, 10}});
  table.add({"tile{rows=256,cols=128}", "grid 8x8", "1.5 us", "ok"}, true);
  table.add({"naive", "grid 16", "12.25 us", "wrong at row 3, in place"});
  return table;
}

TEST(Table, IsAsWideAsItsCellsWhereNothingLimitsIt) {
  EXPECT_EQ(printed(people(), kNoLimit),
            "name                     launch        time  words\n"
            "tile{rows=256,cols=128}  grid 8x8    1.5 us  ok\n"
            "naive                    grid 16   12.25 us  wrong at row 3, in place\n");
  EXPECT_EQ(printed(people(), 69), printed(people(), kNoLimit));
}

TEST(Table, BreaksCellsAtWordsBeforeAColumnLeaves) {
  EXPECT_EQ(printed(people(), 59),
            "name                     launch        time  words\n"
            "tile{rows=256,cols=128}  grid 8x8    1.5 us  ok\n"
            "naive                    grid 16   12.25 us  wrong at row\n"
            "                                             3, in place\n");
  EXPECT_EQ(people().left_out({59, false}), "");
}

TEST(Table, TheLaunchLeavesBeforeTheVariantIsShortened) {
  EXPECT_EQ(printed(people(), 52),
            "name                         time  words\n"
            "tile{rows=256,cols=128}    1.5 us  ok\n"
            "naive                    12.25 us  wrong at row 3,\n"
            "                                   in place\n");
  EXPECT_EQ(people().left_out({52, false}), "launch");
  EXPECT_EQ(printed(people(), 40),
            "name                    time  words\n"
            "tile{rows=256,...}    1.5 us  ok\n"
            "naive               12.25 us  wrong at\n"
            "                              row 3, in\n"
            "                              place\n");
  EXPECT_NE(printed(people(), 36).find("\ntile{256,128} "), std::string::npos);
}

TEST(Table, EveryLineFitsEveryWidth) {
  for (std::size_t width = 34; width < 80; ++width) {
    std::istringstream lines(printed(people(), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(Table, EveryLineOfAnEmphasisedRowIsBold) {
  Table table({{"words", Table::left, Table::wrap}});
  table.add({"one two three four"}, true);
  EXPECT_EQ(printed(table, 8, true),
            "words\n\033[1mone two\033[0m\n\033[1mthree\033[0m\n\033[1mfour\033[0m\n");
}

TEST(Table, CharactersOfUtf8AreAligned) {
  Table table({{"name"}, {"n", Table::right}});
  table.add({"größer", "1"});
  table.add({"less", "2"});
  EXPECT_EQ(printed(table, kNoLimit), "name    n\ngrößer  1\nless    2\n");
}

TEST(Shortened, VariantsStayWholeWhereTheyFit) {
  EXPECT_EQ(shortened({"tile{rows=256}", "naive"}, 14),
            std::vector<std::string>({"tile{rows=256}", "naive"}));
}

TEST(Shortened, OneVariantOfAStrategyIsCutBehindAValue) {
  EXPECT_EQ(shortened({"simd{stream=1,gather=2,ahead=2}", "b"}, 27).front(),
            "simd{stream=1,gather=2,...}");
  EXPECT_EQ(shortened({"simd{stream=1,gather=2,ahead=2}", "b"}, 26).front(), "simd{stream=1,...}");
}

TEST(Shortened, VariantsThatACutWouldMakeEqualKeepTheirValues) {
  EXPECT_EQ(
      shortened({"simd{stream=1,gather=2,ahead=2}", "simd{stream=1,gather=2,ahead=1}",
                 "tile{stream=1,gather=2,ahead=2}"},
                27),
      std::vector<std::string>({"simd{1,2,2}", "simd{1,2,1}", "tile{stream=1,gather=2,...}"}));
}

TEST(Shortened, WithoutRoomForOneNameTheValuesStandAlone) {
  EXPECT_EQ(shortened({"host_simd{stream=1,gather=2}"}, 14).front(), "host_simd{1,2}");
  EXPECT_EQ(shortened({"host_simd{stream=1,gather=2}"}, 12).front(), "host_simd...");
  EXPECT_EQ(shortened({"host_simd{stream=1,gather=2}"}, 0).front(), "...");
}

TEST(Shortened, OtherTextsAreNotTouched) {
  EXPECT_EQ(shortened({"too little memory for it"}, 5).front(), "too little memory for it");
}

TuneReport report() {
  TuneReport report;
  report.bytes = 1'000'000;
  report.rounds = 15;
  const auto add = [&](const std::string& name, double seconds, Role role) {
    Trial trial;
    trial.variant.strategy = name;
    trial.role = role;
    trial.timing = Timing{seconds, 0, 15};
    report.trials.push_back(trial);
  };
  add("tile", 1e-4, Role::transpose);
  add("copy", 1.25e-4, Role::copy);
  add("naive", 2e-4, Role::transpose);
  report.winner = 0;
  report.roof = 1;
  report.runner_up = 2;
  report.margin = 1;
  return report;
}

TEST(TuneSentence, NamesTheMargin) {
  EXPECT_EQ(sentence(report()),
            "tile won by 100.0 % over naive, at 125.0 % of the roof (copy, 8.0 GB/s).");
}

TEST(TuneSentence, ARaceOfOneRoundClaimsNoWinInPercent) {
  TuneReport one = report();
  one.rounds = 1;
  EXPECT_EQ(
      sentence(one),
      "tile was the fastest in a race of one round, too short for a margin, at 125.0 % of the "
      "roof (copy, 8.0 GB/s).");
}

std::string printed(const TuneReport& report, bool all, std::size_t width = kNoLimit) {
  PluginInfo plugin;
  for (const char* name : {"a", "b", "c", "d"}) {
    plugin.strategies.emplace_back().name = name;
    plugin.strategies.back().device_kind = DeviceKind::cuda;
  }
  std::ostringstream out;
  print_report(out, report, {plugin}, all, {width, false});
  return out.str();
}

TEST(TuneTable, AShareAboveTheRoofIsExplainedInAFootnote) {
  EXPECT_NE(printed(report(), false).find("125.0             ok\n"), std::string::npos);
  EXPECT_NE(printed(report(), false).find(kAboveTheRoof), std::string::npos);
  TuneReport below = report();
  below.trials[0].timing->median = 1.2499e-4;  // shown as 100.0
  EXPECT_EQ(printed(below, false).find(kAboveTheRoof), std::string::npos);
}

// A prediction that does not count yet, one that is discounted, and a rival without a trial.
TuneReport report_with_predictions() {
  TuneReport one = report();
  one.trials[0].predicted_share = 0.5;
  one.trials[0].discount = 0;
  one.trials[2].predicted_share = 1;
  one.trials[2].discount = 8;
  one.untried_rivals = {"other"};
  return one;
}

TEST(TuneTable, SaysWhatWasPredictedAndHowItCounted) {
  const std::string text = printed(report_with_predictions(), false);
  EXPECT_NE(text.find(" 50.0 ?  ok\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 100.0 / 8.0  ok\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Predicted ?: the strategy was never measured here"), std::string::npos);
  EXPECT_NE(text.find("Predicted / N: "), std::string::npos);
  EXPECT_NE(text.find("provisional: the budget did not reach other."), std::string::npos);
}

TEST(TuneJson, SaysWhatWasPredictedAndHowItCounted) {
  const Json json = to_json(report_with_predictions());
  EXPECT_EQ(json["trials"][0]["predicted_share"], 0.5);
  EXPECT_EQ(json["trials"][0]["share_of_roof"], 1.25);
  EXPECT_TRUE(json["trials"][0]["discount"].is_null());
  EXPECT_TRUE(json["trials"][1]["predicted_share"].is_null());
  EXPECT_EQ(json["trials"][2]["predicted_share"], 1);
  EXPECT_EQ(json["trials"][2]["discount"], 8);
  EXPECT_EQ(json["provisional"], true);
  EXPECT_EQ(json["untried_rivals"], Json({"other"}));
  EXPECT_EQ(to_json(report())["provisional"], false);
}

TEST(TuneTable, StrategiesThatCannotServeForOneReasonAreOneLine) {
  TuneReport some = report();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Trial& trial = some.trials.emplace_back();
    trial.variant.strategy = name;
    trial.verdict = Verdict::unsupported;
    trial.detail = *name == 'e' ? "works in place only" : "no CUDA device";
  }
  const std::string text = printed(some, false);
  EXPECT_NE(text.find("\nunsupported, --all lists each:\n"
                      "  4 CUDA strategies: no CUDA device\n"
                      "  e: works in place only\n\n"),
            std::string::npos)
      << text;
  const std::string all = printed(some, true);
  EXPECT_EQ(all.find("--all"), std::string::npos);
  for (const char* name : {"\na ", "\nb ", "\nc ", "\nd "})
    EXPECT_NE(all.find(name), std::string::npos) << all;
  some.trials.erase(some.trials.end() - 3);
  EXPECT_NE(printed(some, false).find("\n  a, b, d: no CUDA device\n"), std::string::npos);
}

// Noise between race and final must not make it a tie.
TEST(TuneTable, AWinnerOfTheFinalThatWasSlowerThanOthersBeforeItIsToldSo) {
  TuneReport report;
  report.bytes = 1000;
  report.rounds = 9;
  for (const auto& [name, seconds] : {std::pair("quick", 0.75), {"right", 1.0}}) {
    Trial& trial = report.trials.emplace_back();
    trial.variant.strategy = name;
    trial.timing = Timing{seconds, 0, report.rounds};
  }
  report.runner_up = 0;
  report.winner = 1;
  report.margin = -0.25;
  EXPECT_EQ(sentence(report),
            "right won the final; quick took 25.0 % less time in earlier rounds, when the machine "
            "was faster.");
  report.margin = -0.01;
  EXPECT_EQ(sentence(report), "right won (as fast as quick within 2 %).");
}

}  // namespace
}  // namespace xpose::app
