#include "report/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fixture.hpp"
#include "output/explain_json.hpp"
#include "output/result_output.hpp"

namespace xpose::app {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++times;
  return times;
}

// What the page's script will parse.
Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(Report, OfATuneEmbedsTheDocumentOfJson) {
  const TuneReport report = fixture::tune(4096);
  const std::vector<TuneReport> sizes = {fixture::tune(1024)};
  const std::vector<VariantAccount> accounts = {
      {report.trials[5].variant, report.problem, fixture::tile_account(32)}};
  const Json data = data_of(tune_report(report, DeviceInfo{}, sizes, accounts, "4096x4096"));
  EXPECT_EQ(data["schema"], "xpose.tune_report/1");
  EXPECT_EQ(data["tune"], Json::parse(text_of(to_json(report))));
  EXPECT_EQ(data["sizes"][0], Json::parse(text_of(to_json(sizes[0]))));
  EXPECT_EQ(data["accounts"][0]["variant"], "smem{block_x=32,block_y=8}");
  EXPECT_EQ(data["accounts"][0]["account"]["totals"]["load_wavefronts"], 524288 * 32);
}

TEST(Report, OfAnExplanationEmbedsTheDocumentOfJson) {
  const Explanation explanation = fixture::explanation(true);
  EXPECT_EQ(data_of(explain_report(explanation)), Json::parse(text_of(to_json(explanation))));
}

TEST(Report, NamesOfAPluginStayText) {
  const std::string page = tune_report(fixture::tune(64), DeviceInfo{}, {}, {}, "64x64");
  EXPECT_EQ(count(page, "<script>alert"), 0U);
  EXPECT_EQ(count(page, "<b>bold"), 0U);
  EXPECT_EQ(count(page, "</script>"), 2U);
  TuneReport report = fixture::tune(64);
  report.winner = 6;  // its name is in the headline
  report.margin = 0.5;
  const std::string headline = tune_report(report, DeviceInfo{}, {}, {}, "64x64");
  EXPECT_EQ(count(headline, "<b>bold"), 0U);
  EXPECT_EQ(count(headline, "&lt;b&gt;bold &amp; &quot;idea&quot;&lt;/b&gt; won by 50.0 %"), 1U);
}

TEST(Report, OfATuneSpeaksOfTheProblemAsStated) {
  const std::string page = tune_report(fixture::tune(64), DeviceInfo{}, {}, {}, "8x8 <of> V24");
  EXPECT_EQ(count(page, "<title>xpose tune: 8x8 &lt;of&gt; V24</title>"), 1U);
  EXPECT_EQ(count(page, "8x8 &lt;of&gt; V24, "), 1U);
}

TEST(Report, WhatIsFilledInIsNotLookedAtAgain) {
  Explanation explanation = fixture::explanation(false);
  explanation.limiter = "{{data}} {{script}}";
  const std::string page = explain_report(explanation);
  EXPECT_EQ(count(page, "id=\"limiter\">{{data}} {{script}}<"), 1U);
  EXPECT_EQ(data_of(page)["limiter"], explanation.limiter);
}

TEST(Report, IsOneFileThatAsksForNothing) {
  for (const std::string& page : {tune_report(fixture::tune(64), DeviceInfo{}, {}, {}, "64x64"),
                                  explain_report(fixture::explanation(true))}) {
    EXPECT_EQ(count(page, "default-src 'none'"), 1U);
    for (const char* part : {" src=", "<link", "@import", "url(http", "fetch(", "{{"})
      EXPECT_EQ(count(page, part), 0U) << part;
  }
}

TEST(ExplainJson, HasEveryFieldInSnakeCase) {
  const Json json = to_json(fixture::explanation(true));
  EXPECT_EQ(json["schema"], "xpose.explain/2");
  EXPECT_EQ(json["variant"], "smem{block_x=32,block_y=16}");
  EXPECT_EQ(json["config"], (Json{{"block_x", 32}, {"block_y", 16}}));
  const Json& site = json["simulation"]["kernels"][0]["sites"][2];
  EXPECT_EQ(site["where"], (Json{{"file", "plugins/cuda_smem/smem.cuh"}, {"line", 27}}));
  EXPECT_EQ(site["space"], "shared");
  EXPECT_EQ(site["kind"], "load");
  EXPECT_EQ(site["wavefronts"], 524288 * 32);
  EXPECT_EQ(site["ideal_wavefronts"], 524288);
  EXPECT_EQ(site["worst_conflict"], 32);
  EXPECT_EQ(site["example"]["lanes"], 0xffffffffU);
  EXPECT_EQ(site["example"]["offset"][31], 5 * 4 + 31 * 128);
  EXPECT_EQ(json["hardware"]["totals"]["store_wavefronts"], 547047);
  EXPECT_EQ(json["hardware"]["registers"], 18);
  const Json blind = to_json(Explanation{});
  EXPECT_TRUE(blind["simulation"].is_null());
  EXPECT_TRUE(blind["hardware"].is_null());
}

TEST(ExplainJson, TotalsAreSumsOverTheSitesOfASpaceAndAKind) {
  const Json totals = to_json(fixture::tile_account(33))["totals"];
  EXPECT_EQ(totals["load_sectors"], 2097152);
  EXPECT_EQ(totals["store_sectors"], 2097152);
  EXPECT_EQ(totals["load_requests"], 524288);
  EXPECT_EQ(totals["load_wavefronts"], 524288);
  EXPECT_EQ(totals["store_wavefronts"], 524288);
  EXPECT_EQ(totals["ideal_store_wavefronts"], 524288);
  EXPECT_EQ(to_json(fixture::naive_account())["totals"]["store_sectors"], 16777216);
  EXPECT_EQ(to_json(fixture::naive_account())["totals"]["ideal_store_sectors"], 2097152);
}

TEST(ExplainJson, FindingsNameTheirKindAndPlace) {
  AccessAccount account;
  const std::pair<FindingKind, const char*> kinds[] = {
      {FindingKind::out_of_bounds, "out_of_bounds"},
      {FindingKind::divergent_barrier, "divergent_barrier"},
      {FindingKind::race, "race"},
      {FindingKind::uninitialised_shared, "uninitialised_shared"},
      {FindingKind::wrong_output, "wrong_output"}};
  for (const auto& [kind, name] : kinds)
    account.findings.push_back({kind, {"a.cu", 3}, 1, 2, "words", 4});
  account.findings[0].access = AccessKind::load;
  const Json findings = to_json(account)["findings"];
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    EXPECT_EQ(findings[i], (Json{{"kind", kinds[i].second},
                                 {"where", {{"file", "a.cu"}, {"line", 3}}},
                                 {"block", 1},
                                 {"thread", 2},
                                 {"text", "words"},
                                 {"access", i == 0 ? Json("load") : Json()},
                                 {"times", 4}}));
}

class ResultOutputTest : public testing::Test {
 protected:
  ResultOutputTest() { std::filesystem::create_directories(folder_); }
  ~ResultOutputTest() override { std::filesystem::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("report_output." + std::to_string(getpid()));
};

TEST_F(ResultOutputTest, AppearsWhenItIsWrittenAndNotBefore) {
  const std::filesystem::path target = folder_ / "a.html";
  {
    ResultOutput output("--report", target.string());
    EXPECT_FALSE(std::filesystem::exists(target));
    output.write("page");
    EXPECT_EQ(files(), 1U);
  }
  std::ostringstream text;
  text << std::ifstream(target).rdbuf();
  EXPECT_EQ(text.str(), "page");
}

TEST_F(ResultOutputTest, LeavesNothingWhereNothingWasWritten) {
  {
    const ResultOutput output("--report", (folder_ / "a.html").string());
    EXPECT_TRUE(output.is_wanted());
  }
  EXPECT_EQ(files(), 0U);
  EXPECT_FALSE(ResultOutput("--report", "").is_wanted());
}

TEST_F(ResultOutputTest, AWrongPathFailsAtOnceByItsName) {
  const std::string target = folder_ / "missing" / "a.html";
  try {
    const ResultOutput output("--report", target);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("--report " + target), std::string::npos);
  }
}

}  // namespace
}  // namespace xpose::app
