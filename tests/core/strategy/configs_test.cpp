#include "strategy/configs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xpose {
namespace {

const StrategyInfo kCard = [] {
  StrategyInfo made;
  made.name = "a";
  made.axes = {{"tile", {64, 32, 16}}, {"rows", {8, 4}}};
  return made;
}();
const StrategyInfo kNoAxes = [] {
  StrategyInfo made;
  made.name = "b";
  return made;
}();

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    return error.what();
  }
  return "";
}

TEST(Configs, AreAllCombinationsTheDefaultFirst) {
  EXPECT_EQ(configs(kCard),
            (std::vector<Values>{{64, 8}, {64, 4}, {32, 8}, {32, 4}, {16, 8}, {16, 4}}));
  EXPECT_EQ(configs(kNoAxes), (std::vector<Values>{{}}));
  EXPECT_EQ(config_of(kCard, {32, 4}), (Config{{"tile", 32}, {"rows", 4}}));
}

TEST(Configs, AnUnknownAxisOrValueIsRefusedWithThoseThereAre) {
  const auto words = [](const StrategyInfo& info, const Config& config) {
    return refusal([&] { require_offered(info, config); });
  };
  EXPECT_EQ(words(kCard, {}), "");
  EXPECT_EQ(words(kCard, {{"rows", 4}}), "");
  EXPECT_EQ(words(kCard, {{"rows", 8}, {"tile", 16}}), "");
  EXPECT_EQ(words(kCard, {{"rows", 8}, {"pad", 1}}),
            "cannot use a{rows=8,pad=1}: a has no axis 'pad'; its axes are: tile, rows");
  EXPECT_EQ(words(kCard, {{"tile", 33}}),
            "cannot use a{tile=33}: a has no tile=33; its values are: 64, 32, 16");
  EXPECT_EQ(words(kNoAxes, {{"tile", 32}}),
            "cannot use b{tile=32}: b has no axis 'tile'; its axes are: none");
  EXPECT_EQ(words(kCard, {{"tile", 32}, {"tile", 64}}),
            "cannot use a{tile=32,tile=64}: axis 'tile' is given twice; give it one value");
}

TEST(Configs, AreReadInTheOrderOfTheCardAndWhole) {
  EXPECT_EQ(values_of(kCard, {{"rows", 4}, {"tile", 32}}), (Values{32, 4}));
  EXPECT_EQ(refusal([] {
              values_of(kCard, {{"tile", 32}});
            }),
            "cannot use a{tile=32}: axis 'rows' is left out; give it a value");
  EXPECT_NE(refusal([] { values_of(kCard, {{"tile", 32}, {"rows", 5}}); }), "");
  EXPECT_EQ(values_of(kCard, filled(kCard, {{"rows", 4}})), (Values{64, 4}));
}

// The wanted ones of the card's configs.
std::string wanted(const StrategyInfo& info, const std::vector<Variant>& variants) {
  std::string texts;
  for (const Values& values : configs(info))
    if (is_wanted(info, values, variants))
      texts += (texts.empty() ? "" : " ") + to_string({info.name, config_of(info, values)});
  return texts;
}

TEST(Configs, AVariantStandsForAllThatHaveItsValues) {
  const std::string all =
      "a{tile=64,rows=8} a{tile=64,rows=4} a{tile=32,rows=8} a{tile=32,rows=4} a{tile=16,rows=8} "
      "a{tile=16,rows=4}";
  EXPECT_EQ(wanted(kCard, {}), all);
  EXPECT_EQ(wanted(kCard, {{"a"}}), all);
  EXPECT_EQ(wanted(kCard, {{"a", {{"tile", 32}}}}), "a{tile=32,rows=8} a{tile=32,rows=4}");
  EXPECT_EQ(wanted(kCard, {{"a", {{"rows", 4}, {"tile", 32}}}}), "a{tile=32,rows=4}");
  EXPECT_EQ(wanted(kCard, {{"b"}}), "");
}

TEST(Configs, VariantsOfOneStrategyAddUp) {
  EXPECT_EQ(wanted(kCard, {{"a", {{"tile", 64}, {"rows", 8}}}, {"a", {{"tile", 16}}}}),
            "a{tile=64,rows=8} a{tile=16,rows=8} a{tile=16,rows=4}");
  EXPECT_EQ(wanted(kCard, {{"a", {{"tile", 16}}}, {"a"}}), wanted(kCard, {}));
}

TEST(Configs, ACopyIsWantedUnlessItIsNamedOtherwise) {
  StrategyInfo copy = kCard;
  copy.name = "copy";
  copy.role = Role::copy;
  EXPECT_EQ(wanted(copy, {{"a"}}), wanted(copy, {}));
  EXPECT_EQ(wanted(copy, {{"a"}, {"copy", {{"tile", 16}, {"rows", 8}}}}), "copy{tile=16,rows=8}");
}

}  // namespace
}  // namespace xpose
