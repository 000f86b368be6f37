#include "tables/table_document.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

PluginInfo plugin(const std::string& name, const std::string& version, const std::string& digest) {
  PluginInfo info;
  info.name = name;
  info.version = version;
  info.digest = digest;
  info.strategies.resize(1);
  info.strategies[0].name = name + "_row";
  return info;
}

const std::vector<PluginInfo> kPlugins = {plugin("slow", "1.0", "aa"), plugin("fast", "2.1", "bb"),
                                          plugin("near", "1.0", "cc"), plugin("last", "1.0", "dd"),
                                          plugin("copy", "1.0", "ee")};

CachedTrial trial(const std::string& digest, const std::string& strategy, double seconds,
                  std::int64_t tile = 32) {
  return {.digest = digest,
          .variant = {strategy, {{"tile", tile}}},
          .detail = {},
          .seconds = seconds,
          .samples = 15};
}

Decision decision(const std::string& policy = "measure cold, threads=2") {
  Decision made;
  made.key = {.device = "Some CPU @ 2, cc 9, 3 GHz, cc 0, 2 processors",
              .driver = "",
              .abi = "1.2",
              .plugins = "any",
              .problem = "host 4 256 256 200 300 300 200",
              .policy = policy};
  made.winner = {"fast_row", {{"tile", 64}}};
  made.digest = "bb";
  made.roof_seconds = 1;
  made.trials = {trial("aa", "slow_row", 9),      trial("cc", "near_row", 2.5),
                 trial("cc", "near_row", 2.4, 8), trial("bb", "fast_row", 1.95),
                 trial("bb", "fast_row", 2, 64),  trial("dd", "last_row", 2.9),
                 trial("ee", "copy_row", 1),      trial("ff", "gone_row", 2.2)};
  made.trials[6].role = Role::copy;
  return made;
}

std::vector<TableRow> rows_of(const std::vector<Decision>& decisions) {
  return table_rows(table_of({decisions, {}}, kPlugins, "a test").json);
}

TEST(TableDocument, ARowNamesTheFastestOfThreeStrategiesTheWinnerFirst) {
  const TableRow expected{"Some CPU @ 2, cc 9, 3 GHz",
                          "host 4 256 256 200 300 300 200",
                          false,
                          {{"fast", "2.1", {"fast_row", {{"tile", 64}}}},
                           {"near", "1.0", {"near_row", {{"tile", 8}}}},
                           {"last", "1.0", {"last_row", {{"tile", 32}}}}}};
  EXPECT_EQ(rows_of({decision()}), std::vector{expected});
}

TEST(TableDocument, WhatWasWrongOrNotTimedIsLeftOut) {
  Decision one = decision();
  one.trials[2].verdict = one.trials[1].verdict = Verdict::wrong_result;
  one.trials[5].seconds = 0;
  const std::vector<TableRow> rows = rows_of({one});
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].variants.size(), 1U);
  EXPECT_EQ(rows[0].variants[0].variant.strategy, "fast_row");
}

TEST(TableDocument, OfDecisionsForOneRowTheMostThreadsCountAndThenTheNewest) {
  const auto won = [](const std::string& policy, const std::string& strategy, std::int64_t when) {
    Decision made = decision(policy);
    made.winner = {strategy, {{"tile", 32}}};
    made.when = when;
    return made;
  };
  const auto winner = [](const std::vector<TableRow>& rows) {
    EXPECT_EQ(rows.size(), 1U);
    return rows.at(0).variants.at(0).variant.strategy;
  };
  const Decision two = won("measure cold, threads=2", "near_row", 5),
                 later = won("measure cold, threads=2", "last_row", 6),
                 one = won("measure cold, threads=1", "fast_row", 7);
  EXPECT_EQ(winner(rows_of({two, later, one})), "last_row");
  EXPECT_EQ(winner(rows_of({one, later, two})), "last_row");
  EXPECT_EQ(rows_of({two, won("measure warm, threads=2", "near_row", 1)}).size(), 2U);
}

TEST(TableDocument, ACudaClassKeepsItsMultiprocessors) {
  Decision one = decision("measure cold");
  one.key.device = "Some GPU, cc 90, 132 processors";
  one.key.problem = "cuda:0 4 256 256 200 300 300 200";
  EXPECT_EQ(rows_of({one}).at(0).device, one.key.device);
}

TEST(TableDocument, DecisionsWithoutAPluginHereAreCounted) {
  const Table table = table_of({{decision()}, {}}, {}, "");
  EXPECT_EQ(table.rows, 0U);
  EXPECT_EQ(table.unknown, 1U);
}

TEST(TableDocument, AFaultIsRefusedWithItsPlace) {
  const std::string good = table_of({{decision()}, {}}, kPlugins, "").json;
  const auto refusal = [&](const std::string& part, const std::string& by) {
    std::string text = good;
    text.replace(text.find(part), part.size(), by);
    try {
      table_rows(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal("\"xpose.table/1\"", "\"xpose.table/2\""),
            "at /schema: expected \"xpose.table/1\", a document of `xpose cache export --table`");
  EXPECT_EQ(refusal("false", "0"), "at /rows/0/warm: expected true or false");
  EXPECT_EQ(refusal("\"near_row\"", "[]"),
            "at /rows/0/variants/1/strategy: expected a text of 1 to 4096 bytes");
  EXPECT_EQ(refusal("64", "1e3"),
            "at /rows/0/variants/0/config/tile: expected a whole number of 64 bits");
  EXPECT_EQ(refusal("64", "18446744073709551615"),
            "at /rows/0/variants/0/config/tile: expected a whole number of 64 bits");
  EXPECT_EQ(refusal("\"variants\"", "\"none\""),
            "at /rows/0: expected an object with the field \"variants\"");
  EXPECT_EQ(refusal("\"fast_row\"", "\"" + std::string(5000, 'x') + '"'),
            "at /rows/0/variants/0/strategy: expected a text of 1 to 4096 bytes");
  EXPECT_EQ(refusal("{", "}"), "expected JSON, and byte 1 is none");
}

TEST(TableDocument, ADeepOrLongDocumentIsRefused) {
  EXPECT_THROW(table_rows(std::string(100'000, '[')), Error);
  EXPECT_THROW(table_rows(std::string(kMostTableBytes + 1, ' ')), Error);
  EXPECT_THROW(table_rows(""), Error);
}

}  // namespace
}  // namespace xpose
