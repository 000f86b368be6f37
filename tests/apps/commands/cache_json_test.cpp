#include "commands/cache_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "commands/cache_table.hpp"

namespace xpose::app {
namespace {

constexpr std::int64_t kNow = 97'445;

Variant variant() {
  return {"host_blocked", {{"tile", 32}, {"pad", std::numeric_limits<std::int64_t>::min()}}};
}

CacheContents contents() {
  const CachedTrial winner{.digest = "d1",
                           .variant = variant(),
                           .detail = {},
                           .seconds = 0.1 + 0.2,
                           .spread = 1e-9,
                           .samples = 15,
                           .predicted = 1.05};
  const CachedTrial copy{.digest = "d2",
                         .variant = {"host_copy", {}},
                         .role = Role::copy,
                         .detail = {},
                         .seconds = 1e-4,
                         .samples = 15};
  const CachedTrial numeric{.digest = "d4",
                            .variant = {"host_openblas", {}},
                            .role = Role::numeric,
                            .detail = {},
                            .seconds = 2e-4,
                            .samples = 15};
  const CachedTrial wrong{.digest = "d1",
                          .variant = {"host_naive", {}},
                          .verdict = Verdict::wrong_result,
                          .detail = "element 7: \"expected\" 1,\nfound \xC3\xB6"};
  return {.decisions = {{.key = {.device = "some processor",
                                 .driver = "",
                                 .abi = "1.0",
                                 .plugins = "p1",
                                 .problem = "host 4 256 256 200 300 300 200",
                                 .policy = "measure cold threads=2"},
                         .digest = "d1",
                         .winner = variant(),
                         .margin = -0.01,
                         .roof_seconds = 1e-4,
                         .when = kNow,
                         .trials = {winner, copy, numeric, wrong},
                         .untried = 2,
                         .improvements = 1,
                         .imported = true,
                         .stand_in = "cuda:0 8 256 256 4096 4096 4096 4096"}},
          .quarantine = {{.digest = "d3",
                          .strategy = "bad_idea",
                          .file = "libbad.so",
                          .verdict = Verdict::crashed,
                          .words = "signal 11 \033[31m",
                          .since = kNow}}};
}

TEST(CacheJson, WhatIsExportedIsImportedUnchanged) {
  const CacheContents all = contents();
  EXPECT_EQ(cache_from_json(to_json(all).dump(), kNow), all);
  EXPECT_EQ(cache_from_json(to_json(all).dump(2), kNow), all);
  EXPECT_EQ(cache_from_json(to_json(CacheContents{}).dump(), kNow), CacheContents{});
}

TEST(CacheJson, EveryVerdictIsImported) {
  for (int i = 0; i <= static_cast<int>(Verdict::load_refused); ++i) {
    CacheContents all = contents();
    all.decisions[0].trials[0].verdict = static_cast<Verdict>(i);
    EXPECT_EQ(cache_from_json(to_json(all).dump(), kNow), all);
  }
}

TEST(CacheJson, WhatIsImportedIsMarkedAndOlderExportsAreTaken) {
  CacheContents all = contents();
  all.decisions[0].imported = false;
  Json json = to_json(all);
  EXPECT_EQ(cache_from_json(json.dump(), kNow), contents());
  json["decisions"][0].erase("untried");
  json["decisions"][0].erase("improvements");
  json["decisions"][0].erase("stand_in");
  json["decisions"][0]["trials"][0].erase("predicted");
  const Decision old = cache_from_json(json.dump(), kNow).decisions[0];
  EXPECT_EQ(old.untried, 0);
  EXPECT_EQ(old.improvements, 0);
  EXPECT_EQ(old.stand_in, "");
  EXPECT_EQ(old.trials[0].predicted, 0);
}

TEST(CacheJson, UnknownFieldsArePassedOver) {
  Json json = to_json(contents());
  json["later"] = {1, 2};
  json["decisions"][0]["later"] = "x";
  json["decisions"][0]["trials"][0]["later"] = Json::object();
  json["quarantine"][0]["later"] = nullptr;
  EXPECT_EQ(cache_from_json(json.dump(), kNow), contents());
}

// --------------------------------------------------------------------------------------- refusals

// The sentence with which a document is refused; empty where it is not.
std::string refusal(const std::string& document) {
  try {
    cache_from_json(document, kNow);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    return error.what();
  }
  return "";
}

struct Change {
  const char* pointer;
  const char* value;  // JSON
  const char* expected;
};
class RefusedChange : public testing::TestWithParam<Change> {};

TEST_P(RefusedChange, SaysWhereAndWhatWasExpected) {
  Json json = to_json(contents());
  json[Json::json_pointer(GetParam().pointer)] = Json::parse(GetParam().value);
  EXPECT_EQ(refusal(json.dump()),
            std::string("at ") + GetParam().pointer + ": expected " + GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedChange,
    testing::Values(
        Change{"/schema", "1", "a text of at most 64 KiB, found 1"},
        Change{"/schema", "\"xpose.tune/1\"",
               "\"xpose.cache/1\", a document of `xpose cache export`, found \"xpose.tune/1\""},
        Change{"/schema", "\"xpose.cache/2\"",
               "\"xpose.cache/1\" (export again with a version of xpose that writes it, or import "
               "with the one that exported), found \"xpose.cache/2\""},
        Change{"/decisions", "{}", "an array of at most 100000 elements, found an object"},
        Change{"/decisions/0", "[]", "an object, found an array"},
        Change{"/decisions/0/key/device", "\"\"", "a text that is not empty, found \"\""},
        Change{"/decisions/0/when", "-1", "a whole number from 0 to 9223372036854775807, found -1"},
        Change{"/decisions/0/when", "9223372036854775808",
               "a whole number from 0 to 9223372036854775807, found 9223372036854775808"},
        Change{"/decisions/0/when", "183846",
               "seconds since 1970, not in the future (the clock of one machine is wrong), found "
               "183846"},
        Change{"/decisions/0/margin", "-1.5", "a number from -1 to 1e+09, found -1.5"},
        Change{"/decisions/0/margin", "null", "a number from -1 to 1e+09, found null"},
        Change{"/decisions/0/roof_seconds", "1e300", "a number from 0 to 1e+09, found 1e+300"},
        Change{"/decisions/0/winner/config/tile", "\"32\"",
               "a whole number from -9223372036854775808 to 9223372036854775807, found \"32\""},
        Change{"/decisions/0/winner/config", "[]", "an object of at most 8 fields, found an array"},
        Change{"/decisions/0/trials/1/seconds", "-1e-9", "a number from 0 to 1e+09, found -1e-09"},
        Change{"/decisions/0/trials/1/samples", "1.5",
               "a whole number from 0 to 2147483647, found 1.5"},
        Change{"/decisions/0/trials/1/samples", "2147483648",
               "a whole number from 0 to 2147483647, found 2147483648"},
        Change{"/decisions/0/trials/1/role", "\"winner\"",
               "\"transpose\", \"copy\" or \"numeric\", found \"winner\""},
        Change{"/quarantine/0/verdict", "\"ok\"", "a verdict other than ok, found \"ok\""},
        Change{"/quarantine/0/verdict", "\"crash\"",
               "a verdict (ok, unsupported, wrong_result, wrote_outside, read_outside, "
               "modified_input, device_error, crashed, exited, timed_out, no_memory, "
               "protocol_error, load_refused), found \"crash\""}),
    [](const testing::TestParamInfo<Change>& change) {
      std::string name = change.param.pointer;
      std::ranges::replace(name, '/', '_');
      return std::to_string(change.index) + name;
    });

TEST(CacheJson, RefusesWhatLacksAField) {
  for (const char* name : {"schema", "decisions", "quarantine"}) {
    Json json = to_json(contents());
    json.erase(name);
    EXPECT_EQ(refusal(json.dump()),
              "at the top: expected a field \"" + std::string(name) + "\", found none");
  }
  Json json = to_json(contents());
  json["decisions"][0]["trials"][2].erase("digest");
  EXPECT_EQ(refusal(json.dump()),
            "at /decisions/0/trials/2: expected a field \"digest\", found none");
}

TEST(CacheJson, RefusesAFieldTwiceInOneObject) {
  std::string text = to_json(contents()).dump();
  EXPECT_EQ(refusal(text), "");
  text.insert(text.find("\"margin\""), "\"digest\":\"another\",");
  EXPECT_EQ(refusal(text),
            "at a field \"digest\": expected each field of an object once, found another");
  EXPECT_EQ(refusal(R"({"a": {"b": 1}, "\u0061": 2})"),
            "at a field \"a\": expected each field of an object once, found another");
}

TEST(CacheJson, RefusesTwoDecisionsForOneKey) {
  CacheContents all = contents();
  all.decisions.push_back(all.decisions[0]);
  all.decisions[1].winner.strategy = "another";
  EXPECT_EQ(refusal(to_json(all).dump()),
            "at /decisions/1/key: expected a key of its own, found that of /decisions/0");
  all.decisions[1].key.driver = "2";
  EXPECT_EQ(refusal(to_json(all).dump()), "");
}

TEST(CacheJson, RefusesMoreThanARowHolds) {
  Json json = to_json(contents());
  json["quarantine"][0]["words"] = std::string((64U << 10) + 1, 'x');
  EXPECT_EQ(refusal(json.dump()),
            "at /quarantine/0/words: expected a text of at most 64 KiB, found \"" +
                std::string(56, 'x') + "...");
  json = to_json(contents());
  json["decisions"][0]["trials"] = std::vector<Json>(10'001, 0);
  EXPECT_EQ(refusal(json.dump()),
            "at /decisions/0/trials: expected an array of at most 10000 elements, found an array");
}

TEST(CacheJson, RefusesWhatIsNotJson) {
  EXPECT_EQ(
      refusal(""),
      "at byte 1: expected JSON, found a syntax error while parsing value - unexpected end of "
      "input; expected '[', '{', or a literal");
  EXPECT_EQ(
      refusal("{\"a\": nul}"),
      "at byte 10: expected JSON, found a syntax error while parsing value - invalid literal");
  EXPECT_EQ(refusal("\"\xFF\""),
            "at byte 2: expected JSON, found a syntax error while parsing value - invalid string: "
            "ill-formed UTF-8 byte");
  EXPECT_EQ(refusal("[1, 1e999]"), "at byte 5: expected a number of at most 1.8e308, found 1e999");
}

TEST(CacheJson, RefusesWhatWouldCostMuchToRead) {
  EXPECT_EQ(refusal(std::string(1U << 20, '[')),
            "at byte 16: expected at most 16 brackets to be open");
  EXPECT_EQ(refusal("\"" + std::string(17, '[') + "\\\"[\""),
            "at the top: expected an object, found \"[[[[[[[[[[[[[[[[[\\\"[\"");
  std::string wide = "{";
  for (int i = 0; i <= 1000; ++i) wide += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ(refusal(wide + "}"), "at byte " + std::to_string(wide.size() - 2) +
                                     ": expected an object of at most 1000 fields");
  EXPECT_EQ(refusal(std::string(kMaxCacheDocument + 1, ' ')),
            "at byte 268435456: expected the document's end");
}

// ------------------------------------------------------------------------------------------ table

TEST(CacheTable, ShowsFiguresDatesAndNoControlCharacters) {
  CacheContents all = contents();
  all.decisions[0].trials[0].seconds = 1.25e-4;
  std::ostringstream shown;
  print_cache(shown, all, {});
  const std::string text = shown.str();
  EXPECT_NE(text.find("  125.00 us       80.0  -1.0 %     4 *  1970-01-02T03:04:05Z\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bad_idea     libbad.so  crashed  1970-01-02T03:04:05Z  signal 11 ?[31m\n"),
            std::string::npos)
      << text;
}

// The footnotes as well: a decision is provisional, and one has a share above the roof.
TEST(CacheTable, EveryLineFitsANarrowScreen) {
  CacheContents all = contents();
  all.decisions[0].trials[0].seconds = all.decisions[0].roof_seconds / 2;
  std::ostringstream shown;
  print_cache(shown, all, {60, false});
  EXPECT_NE(shown.str().find("*: provisional; "), std::string::npos) << shown.str();
  EXPECT_NE(shown.str().find("Above 100 %"), std::string::npos) << shown.str();
  std::istringstream lines(shown.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
}

TEST(CacheTable, NothingIsPrintedOfNothing) {
  std::ostringstream shown;
  print_cache(shown, {}, {});
  EXPECT_EQ(shown.str(), "");
}

}  // namespace
}  // namespace xpose::app
