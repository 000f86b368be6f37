#include "plugin/candidates.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// Supports tiles that are multiples of its rows times 8.
xpose_status quote_tile(const xpose_problem*, const int64_t* config, xpose_quote* quote,
                        xpose_text error) {
  if (config[0] < 8 * config[1]) {
    std::strncpy(error.data, "tile too small", error.capacity);
    return XPOSE_UNSUPPORTED;
  }
  quote->workspace_bytes = static_cast<uint64_t>(config[0]);
  std::strncpy(quote->launch, "grid 1", sizeof quote->launch);
  return XPOSE_OK;
}

Strategy strategy(const char* name, int prior_rank, bool is_copy = false) {
  static const xpose_strategy functions = [] {
    xpose_strategy made{};
    made.quote = quote_tile;
    return made;
  }();
  Strategy made;
  made.info.name = name;
  made.info.is_copy = is_copy;
  made.info.element_sizes = 31;
  made.info.prior_rank = prior_rank;
  made.info.axes = {{"tile", {64, 32, 16}}, {"rows", {8, 4}}};
  made.functions = &functions;
  return made;
}

class Candidates : public testing::Test, public Quoter {
 protected:
  std::vector<QuoteAnswer> quote(const Strategy& asked,
                                 const std::vector<Values>& configs) override {
    std::vector<QuoteAnswer> answers;
    for (const Values& values : configs)
      answers.push_back(xpose::quote(asked, values, problem, device));
    return answers;
  }
  std::vector<std::string> names(const std::vector<const Strategy*>& strategies) {
    std::vector<std::string> found;
    for (const Candidate& candidate : candidates(strategies, problem, device, options, *this))
      found.push_back(to_string(candidate.variant) + (candidate.outcome.verdict == Verdict::ok
                                                          ? ""
                                                          : " " + candidate.outcome.detail));
    return found;
  }
  Problem problem = normal_form(matrix(100, 200, 4));
  DeviceInfo device{};
  TuneOptions options;
};

TEST_F(Candidates, AreTheConfigsThatTheQuoteAccepts) {
  const Strategy a = strategy("a", 1);
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a{tile=64,rows=8}", "a{tile=64,rows=4}",
                                                   "a{tile=32,rows=4}"}));
  const auto found = candidates(std::vector{&a}, problem, device, options, *this);
  EXPECT_EQ(found[0].workspace_bytes, 64U);
  EXPECT_EQ(found[0].launch, "grid 1");
}

TEST_F(Candidates, FirstConfigsOfAllComeFirstByPriorRank) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, true);
  const auto found = names({&a, &b, &copy});
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(found[0], "copy{tile=64,rows=8}");
  EXPECT_EQ(found[1], "b{tile=64,rows=8}");
  EXPECT_EQ(found[2], "a{tile=64,rows=8}");
  EXPECT_EQ(found[4], "b{tile=64,rows=4}");
}

// Says that a tile of 32 is twice as fast as any other.
xpose_status quote_figures(const xpose_problem*, const int64_t* config, xpose_quote* quote,
                           xpose_text) {
  quote->load_run = quote->store_run = static_cast<uint64_t>(config[0]);
  quote->slower_percent = config[0] == 32 ? 0 : 100;
  return XPOSE_OK;
}

TEST_F(Candidates, WhatIsPredictedDecidesTheOrder) {
  xpose_strategy functions{};
  functions.quote = quote_figures;
  Strategy said = strategy("said", 50);
  said.functions = &functions;
  const Strategy silent = strategy("silent", 1);
  const Strategy copy = strategy("copy", 900, true);
  const auto found = names({&silent, &said, &copy});
  ASSERT_EQ(found.size(), 12U);
  EXPECT_EQ(found[0], "copy{tile=64,rows=8}");
  EXPECT_EQ(found[1], "said{tile=32,rows=8}");
  EXPECT_EQ(found[2], "silent{tile=64,rows=8}");
  EXPECT_EQ(found[3], "copy{tile=64,rows=4}");  // second configs
  EXPECT_EQ(found[4], "said{tile=32,rows=4}");  // no worse: as the author has them
}

// Whole lines, and so many percent slower than a copy.
template <std::uint32_t percent>
xpose_status quote_slower(const xpose_problem*, const int64_t*, xpose_quote* quote, xpose_text) {
  quote->load_run = quote->store_run = 64;
  quote->traits = XPOSE_QUOTE_UNCACHED_STORES;
  quote->slower_percent = percent;
  return XPOSE_OK;
}

TEST_F(Candidates, WhatSaysNothingComesBeforeWhatIsPredictedFarBehind) {
  xpose_strategy best{}, behind{}, far{};
  best.quote = quote_slower<0>;
  behind.quote = quote_slower<95>;
  far.quote = quote_slower<110>;
  Strategy a = strategy("a", 4);
  a.functions = &best;
  Strategy b = strategy("b", 3);
  b.functions = &behind;
  const Strategy silent = strategy("silent", 2);
  Strategy d = strategy("d", 1);
  d.functions = &far;
  std::string order;
  for (const std::string& name : names({&d, &silent, &b, &a}))
    if (name.ends_with("{tile=64,rows=8}")) order += name.substr(0, name.find('{')) + ' ';
  EXPECT_EQ(order, "a b silent d ");
}

TEST_F(Candidates, NearTiesGoToThePriorRank) {
  xpose_strategy better{};
  better.quote = quote_slower<0>;
  xpose_strategy near{};
  near.quote = quote_slower<4>;
  Strategy a = strategy("a", 2);
  a.functions = &better;
  Strategy b = strategy("b", 1);
  b.functions = &near;
  EXPECT_EQ(names({&a, &b}).front(), "b{tile=64,rows=8}");
  b.info.prior_rank = 3;
  EXPECT_EQ(names({&a, &b}).front(), "a{tile=64,rows=8}");
}

class CandidatesOfStrangers : public Candidates {
 protected:
  CandidatesOfStrangers() {
    static xpose_strategy best{}, near{}, behind{};
    best.quote = quote_slower<0>;
    near.quote = quote_slower<95>;
    behind.quote = quote_slower<250>;
    for (Strategy* one : {&liar, &honest, &rival, &loop, &silent, &copy}) {
      one->info.axes.resize(1);
      one->info.axes[0].second = {64, 128};
    }
    liar.functions = &best;
    honest.functions = copy.functions = &best;
    rival.functions = &near;
    loop.functions = &behind;
    silent.info.axes.clear();
    static xpose_strategy says_nothing{};
    says_nothing.quote = [](const xpose_problem*, const int64_t*, xpose_quote*,
                            xpose_text) -> xpose_status { return XPOSE_OK; };
    silent.functions = &says_nothing;
    evidence.trust = [this](const Strategy& one) {
      return one.info.name == "liar" ? trust_of(errors, false) : Trust{};
    };
  }
  std::vector<Candidate> found() {
    return candidates(std::vector<const Strategy*>{&loop, &silent, &liar, &rival, &honest, &copy},
                      problem, device, options, *this, evidence);
  }
  // The strategies, by their first configs.
  std::string order() {
    std::string text;
    std::set<std::string> met;
    for (const Candidate& one : found())
      if (met.insert(one.variant.strategy).second) text += one.variant.strategy + ' ';
    return text;
  }

  Strategy liar = strategy("liar", 0), honest = strategy("honest", 10),
           rival = strategy("rival", 20), loop = strategy("loop", 30),
           silent = strategy("silent", 40), copy = strategy("copy", 900, true);
  std::vector<double> errors;
  Evidence evidence;
};

TEST_F(CandidatesOfStrangers, NeitherFiguresNorRankBuyAPlaceBeforeWhatIsTrusted) {
  EXPECT_EQ(order(), "copy honest rival silent liar loop ");
  errors = {1};  // it held: the rest is the rank's, but not before what came with the library
  EXPECT_EQ(order(), "copy honest liar rival silent loop ");
  errors = {2.5, 1, 2.5};  // of twice what it says and more
  EXPECT_EQ(order(), "copy honest rival silent liar loop ");
  errors = {9};
  EXPECT_EQ(order(), "copy honest rival silent loop liar ");
}

TEST_F(CandidatesOfStrangers, AmongThemselvesTheirFiguresDecide) {
  evidence.trust = [](const Strategy&) { return trust_of({}, false); };
  EXPECT_EQ(order(), "copy liar honest rival silent loop ");
}

TEST_F(CandidatesOfStrangers, OneConfigOfEachComesBeforeASecondOneOfAny) {
  const std::vector<Candidate> all = found();
  ASSERT_EQ(all.size(), 11U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].variant.config == Config({{"tile", 128}}), i >= 6) << i;
}

TEST_F(CandidatesOfStrangers, WhatWonBeforeAndWhatIsTrustedMostAreFavourites) {
  const auto favourites = [&] {
    std::string text;
    for (const Candidate& one : found())
      if (one.is_favourite) text += to_string(one.variant) + ' ';
    return text;
  };
  EXPECT_EQ(favourites(), "honest{tile=64} ");
  evidence.standing = Variant{"loop", {{"tile", 128}}};
  EXPECT_EQ(order(), "copy loop honest rival silent liar ");
  EXPECT_EQ(favourites(), "loop{tile=128} honest{tile=64} ");
}

TEST_F(CandidatesOfStrangers, WhatWasNotTriedBeforeComesFirst) {
  evidence.standing = Variant{"rival", {{"tile", 64}}};
  evidence.tried = {"rival", "honest", "silent"};
  EXPECT_EQ(order(), "copy rival honest liar silent loop ");
}

TEST_F(Candidates, OptionsNarrowTransposesButNeverCopies) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, true);
  options.strategies = {"a"};
  options.config = {{"tile", 32}, {"unknown_axis", 3}};
  EXPECT_EQ(names({&a, &b, &copy}),
            (std::vector<std::string>{"copy{tile=64,rows=8}", "a{tile=32,rows=4}",
                                      "copy{tile=64,rows=4}", "copy{tile=32,rows=4}"}));
}

TEST_F(Candidates, AStrategyThatSupportsNothingSaysWhyOnce) {
  const Strategy a = strategy("a", 5);
  options.config = {{"tile", 16}};
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a tile too small"}));
}

TEST_F(Candidates, TheCardRulesOut) {
  const auto reason = [&](const auto& change) {
    Strategy a = strategy("a", 5);
    change(a.info);
    return xpose::quote(a, {64, 8}, problem, device).outcome.detail;
  };
  EXPECT_EQ(reason([](StrategyInfo&) {}), "");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = 1 | 8; }),
            "serves no elements of 4 bytes");
  const Problem narrow = problem;
  problem.element_bytes = 48;
  EXPECT_EQ(reason([](StrategyInfo&) {}), "serves no elements of 48 bytes");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = XPOSE_FAT_SIZES; }), "");
  problem.in_alignment = 8;
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = XPOSE_FAT_SIZES; }),
            "needs rows aligned to 16 bytes; these are to 8");
  problem = narrow;
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_alignment = 32; }),
            "needs rows aligned to 32 bytes; these are to 16");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_compute_capability = 90; }),
            "needs compute capability 9.0");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.max_extent = 150; }),
            "serves at most 150 rows and columns");
  problem.in_place = true;
  EXPECT_EQ(reason([](StrategyInfo&) {}), "does not work in place");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.in_place = true; }), "");
}

TEST_F(Candidates, WhatIsNeverChosenIsNotLaunchedForEachOfManyMatrices) {
  Strategy geam = strategy("geam", 1);
  geam.info.is_numeric = true;
  geam.info.device_kind = DeviceKind::cuda;
  problem = matrix(5, 5, 4, {DeviceKind::cuda, 0});
  problem.batch = {{10'001, 25, 25}};
  EXPECT_EQ(names({&geam}), std::vector<std::string>{
                                "geam is for comparison alone, and would be launched 10001 times"});
  geam.info.max_batch_rank = 1;
  EXPECT_EQ(names({&geam}).size(), 3U);
  geam.info.max_batch_rank = 0;
  problem.batch = {{10'000, 25, 25}};
  EXPECT_EQ(names({&geam}).size(), 3U);
  problem.batch = {{10'001, 25, 25}};
  problem.device.kind = geam.info.device_kind = DeviceKind::host;
  EXPECT_EQ(names({&geam}).size(), 3U);
}

TEST_F(Candidates, AnExceptionThroughTheAbiIsAProtocolError) {
  xpose_strategy functions{};
  functions.quote = [](const xpose_problem*, const int64_t*, xpose_quote*,
                       xpose_text) -> xpose_status { throw std::runtime_error("oops"); };
  Strategy a = strategy("a", 5);
  a.functions = &functions;
  const Outcome outcome = xpose::quote(a, {64, 8}, problem, device).outcome;
  EXPECT_EQ(outcome.verdict, Verdict::protocol_error);
  EXPECT_EQ(outcome.detail, "failed to quote: threw an exception through the ABI: oops");
}

TEST_F(Candidates, AConfigIsReadAgainstTheAxes) {
  const StrategyInfo info = strategy("a", 5).info;
  EXPECT_EQ(values_of(info, {{"rows", 4}, {"tile", 32}}), (Values{32, 4}));
  EXPECT_THROW(values_of(info, {{"tile", 32}}), Error);
  EXPECT_THROW(values_of(info, {{"tile", 32}, {"rows", 5}}), Error);
  EXPECT_THROW(values_of(info, {{"tile", 32}, {"rows", 4}, {"more", 1}}), Error);
}

TEST_F(Candidates, AnExperimentIsNeverTried) {
  Strategy a = strategy("a", 5);
  ASSERT_FALSE(names({&a}).empty());
  a.info.is_experiment = true;
  options.strategies = {"a"};
  EXPECT_TRUE(names({&a}).empty());
}

TEST_F(Candidates, ACopyIsAskedForTheDenseBytes) {
  problem.batch = {{3, 100000, 100000}};
  problem.out_ld = 300;
  const Strategy copy = strategy("copy", 900, true);
  const Problem dense = problem_for(copy.info, problem);
  EXPECT_EQ(dense.rows, 300);
  EXPECT_EQ(dense.out_ld, 200);
  EXPECT_TRUE(dense.batch.empty());
  problem.element_bytes = 48;
  Problem parts = dense;
  parts.element_bytes = 16;
  parts.cols = parts.in_ld = parts.out_ld = 3 * dense.cols;
  EXPECT_EQ(problem_for(copy.info, problem), parts);
  const Strategy transpose = strategy("a", 1);
  EXPECT_EQ(problem_for(transpose.info, problem), problem);
}

}  // namespace
}  // namespace xpose
