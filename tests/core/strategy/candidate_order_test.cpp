#include "strategy/candidate_order.hpp"

#include "candidates_fixture.hpp"

namespace xpose {
namespace {

class CandidateOrder : public Candidates {};

TEST_F(CandidateOrder, FirstConfigsOfAllComeFirstByPriorRank) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, Role::copy);
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

TEST_F(CandidateOrder, WhatIsPredictedDecidesTheOrder) {
  xpose_strategy functions{};
  functions.quote = quote_figures;
  Strategy said = strategy("said", 50);
  said.functions = &functions;
  const Strategy silent = strategy("silent", 1);
  const Strategy copy = strategy("copy", 900, Role::copy);
  const auto found = names({&silent, &said, &copy});
  ASSERT_EQ(found.size(), 12U);
  EXPECT_EQ(found[0], "copy{tile=64,rows=8}");
  EXPECT_EQ(found[1], "said{tile=32,rows=8}");
  EXPECT_EQ(found[2], "silent{tile=64,rows=8}");
  EXPECT_EQ(found[3], "copy{tile=64,rows=4}");  // second configs
  EXPECT_EQ(found[4], "said{tile=32,rows=4}");  // no worse: as the author has them
}

// Long runs, and so many percent slower than a copy.
template <std::uint32_t percent>
xpose_status quote_slower(const xpose_problem*, const int64_t*, xpose_quote* quote, xpose_text) {
  quote->blocks = 4 << 10;
  quote->threads = 256;
  quote->load_run = quote->store_run = 64 << 10;
  quote->traits = XPOSE_QUOTE_UNCACHED_STORES;
  quote->slower_percent = percent;
  return XPOSE_OK;
}

TEST_F(CandidateOrder, WhatSaysNothingComesBeforeWhatIsPredictedFarBehind) {
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

TEST_F(CandidateOrder, NearTiesGoToThePriorRank) {
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

TEST_F(CandidateOrder, TiesOfAGpuAreNearerThanThoseOfAHost) {
  problem = normal_form(matrix(4000, 4000, 4, {DeviceKind::cuda, 0}));
  xpose_strategy better{}, near{};
  better.quote = quote_slower<0>;
  near.quote = quote_slower<4>;
  Strategy a = strategy("a", 2);
  a.functions = &better;
  Strategy b = strategy("b", 1);
  b.functions = &near;
  a.info.device_kind = b.info.device_kind = DeviceKind::cuda;
  EXPECT_EQ(names({&a, &b}).front(), "a{tile=64,rows=8}");
  near.quote = quote_slower<1>;
  EXPECT_EQ(names({&a, &b}).front(), "b{tile=64,rows=8}");
}

class CandidateOrderOfStrangers : public Candidates {
 protected:
  CandidateOrderOfStrangers() {
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
           silent = strategy("silent", 40), copy = strategy("copy", 900, Role::copy);
  std::vector<double> errors;
  Evidence evidence;
};

TEST_F(CandidateOrderOfStrangers, NeitherFiguresNorRankBuyAPlaceBeforeWhatIsTrusted) {
  EXPECT_EQ(order(), "copy honest rival silent liar loop ");
  errors = {1};  // it held: the rest is the rank's, but not before what came with the library
  EXPECT_EQ(order(), "copy honest liar rival silent loop ");
  errors = {2.5, 1, 2.5};  // of twice what it says and more
  EXPECT_EQ(order(), "copy honest rival silent liar loop ");
  errors = {9};
  EXPECT_EQ(order(), "copy honest rival silent loop liar ");
}

TEST_F(CandidateOrderOfStrangers, AmongThemselvesTheirRankDecides) {
  evidence.trust = [](const Strategy&) { return trust_of({}, false); };
  EXPECT_EQ(order(), "copy liar honest rival loop silent ");
}

TEST_F(CandidateOrderOfStrangers, OneConfigOfEachComesBeforeASecondOneOfAny) {
  const std::vector<Candidate> all = found();
  ASSERT_EQ(all.size(), 11U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].variant.config == Config({{"tile", 128}}), i >= 6) << i;
}

TEST_F(CandidateOrderOfStrangers, WhatWonBeforeAndWhatIsTrustedMostAreFavourites) {
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

// What won before is measured, and so no estimate.
TEST_F(CandidateOrderOfStrangers, TheEstimateIsTheSameWhateverWonBefore) {
  const auto estimates = [&] {
    std::string text;
    for (const Candidate& one : found())
      if (one.is_estimate) text += to_string(one.variant) + (one.is_favourite ? "! " : " ");
    return text;
  };
  EXPECT_EQ(estimates(), "honest{tile=64}! ");
  for (const char* strategy : {"loop", "honest"}) {
    evidence.standing = Variant{strategy, {{"tile", 128}}};
    EXPECT_EQ(estimates(), "honest{tile=64}! ");
  }
}

TEST_F(CandidateOrderOfStrangers, WhatATableNamesComesFirstInItsOrder) {
  evidence.table = {{"loop", {{"tile", 128}}}, {"rival", {{"tile", 64}}}};
  EXPECT_EQ(order(), "copy loop rival honest silent liar ");
  std::string estimates, favourites;
  for (const Candidate& one : found()) {
    if (one.is_estimate) estimates += to_string(one.variant) + ' ';
    if (one.is_favourite) favourites += to_string(one.variant) + ' ';
  }
  EXPECT_EQ(estimates, "loop{tile=128} ");
  EXPECT_EQ(favourites, "loop{tile=128} honest{tile=64} ");
}

TEST_F(CandidateOrderOfStrangers, WhatWonBeforeComesBeforeATable) {
  evidence.table = {{"loop", {{"tile", 128}}}};
  evidence.standing = Variant{"rival", {{"tile", 128}}};
  EXPECT_EQ(order(), "copy rival loop honest silent liar ");
}

// A copy, a config that the strategy does not have, and a strategy that nobody offers.
TEST_F(CandidateOrderOfStrangers, ATableThatNamesWhatMayNotBeChosenChangesNothing) {
  const std::vector<Candidate> without = found();
  evidence.table = {{"copy", {{"tile", 64}}}, {"loop", {{"tile", 7}}}, {"nobody", {}}};
  const std::vector<Candidate> with = found();
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].variant, without[i].variant) << i;
    EXPECT_EQ(with[i].is_estimate, without[i].is_estimate) << i;
  }
}

TEST_F(CandidateOrderOfStrangers, WhatWasNotTriedBeforeComesFirst) {
  evidence.standing = Variant{"rival", {{"tile", 64}}};
  evidence.tried = {"rival", "honest", "silent"};
  EXPECT_EQ(order(), "copy rival honest liar silent loop ");
}

}  // namespace
}  // namespace xpose
