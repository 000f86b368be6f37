#include "plugin/plugin_library.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

// What files do wrong is tested with real ones in tests/abi; here, what an entry may return.
namespace xpose {
namespace {

xpose_status quote(const xpose_problem*, const int64_t*, xpose_quote*, xpose_text) {
  return XPOSE_OK;
}
xpose_status create(const xpose_problem*, const int64_t*, xpose_plan**, xpose_text) {
  return XPOSE_OK;
}
xpose_status launch(const xpose_plan*, const xpose_launch*, xpose_text) { return XPOSE_OK; }
void destroy(xpose_plan*) {}

class ReadPlugin : public testing::Test {
 protected:
  ReadPlugin() {
    card.size = sizeof card;
    card.device_kind = XPOSE_HOST;
    card.name = "one";
    card.summary = "a strategy";
    card.role = XPOSE_TRANSPOSE;
    card.element_sizes = 31;
    card.axis_count = 1;
    card.axes = &axis;
    strategy = {sizeof strategy, 0, &card, quote, create, launch, destroy, nullptr};
    plugin = {XPOSE_ABI_MAJOR, XPOSE_ABI_MINOR, sizeof plugin, 1, "p", "1", "b", strategies};
  }

  std::string refusal() {
    try {
      read_plugin(&plugin);
    } catch (const Refusal& refused) {
      return refused.why;
    }
    return "";
  }

  const int64_t values[2] = {1, 2};
  xpose_axis axis = {"tile", values, 2};
  xpose_card card{};
  xpose_strategy strategy{};
  const xpose_strategy* strategies[1] = {&strategy};
  xpose_plugin plugin{};
};

TEST_F(ReadPlugin, TakesWhatIsWellFormed) {
  const PluginLibrary library = read_plugin(&plugin);
  EXPECT_EQ(library.info.name, "p");
  ASSERT_EQ(library.info.strategies.size(), 1U);
  EXPECT_EQ(library.info.strategies[0].name, "one");
  EXPECT_EQ(library.info.strategies[0].axes.at(0).second, (std::vector<std::int64_t>{1, 2}));
  ASSERT_EQ(library.functions.size(), 1U);
  EXPECT_EQ(library.functions[0].launch, launch);
}

TEST_F(ReadPlugin, FieldsTheWriterDidNotKnowAreZero) {
  card.prior_rank = 7;
  card.size = offsetof(xpose_card, prior_rank);
  const PluginLibrary library = read_plugin(&plugin);
  const StrategyInfo& read = library.info.strategies.at(0);
  EXPECT_EQ(read.prior_rank, 0);
  EXPECT_TRUE(read.axes.empty());
}

TEST_F(ReadPlugin, ALargerStructOfANewerMinorIsCut) {
  struct Newer {
    xpose_card card;
    char more[64];
  } newer{card, {}};
  newer.card.size = sizeof newer;
  strategy.card = &newer.card;
  plugin.abi_minor = XPOSE_ABI_MINOR + 5;
  EXPECT_EQ(refusal(), "");
}

TEST_F(ReadPlugin, AnotherMajorIsRefusedWithBothVersions) {
  plugin.abi_major = 9;
  plugin.abi_minor = 4;
  EXPECT_EQ(refusal(),
            "was built for plugin ABI 9.4, this xpose has 2.0; rebuild it against this xpose's "
            "headers");
}

TEST_F(ReadPlugin, EachMalformedFieldIsNamed) {
  const xpose_card good = card;
  const auto with = [&](const auto& change) {
    card = good;
    change(card);
    return refusal();
  };
  EXPECT_NE(with([](xpose_card& c) { c.name = "Bad"; }).find("name"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.name = nullptr; }).find("name"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.summary = nullptr; }).find("summary"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.device_kind = 7; }).find("device kind"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.role = 0; }).find("role"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.element_sizes = 3 | 64; }).find("size"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.element_sizes = 0; }).find("size"), std::string::npos);
  EXPECT_EQ(with([](xpose_card& c) { c.element_sizes = 31 | XPOSE_FAT_SIZES; }), "");
  EXPECT_NE(with([](xpose_card& c) { c.min_alignment = 3; }).find("power of two"),
            std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.axis_count = 99; }).find("99 axes"), std::string::npos);
  EXPECT_NE(with([](xpose_card& c) { c.axes = nullptr; }).find("axis"), std::string::npos);
  EXPECT_EQ(with([](xpose_card&) {}), "");
  axis.value_count = 0;
  EXPECT_NE(refusal().find("no values"), std::string::npos);
  axis.value_count = 2;
  // 64 values on each of three axes: 262144 configs.
  std::vector<int64_t> many(XPOSE_MAX_AXIS_VALUES);
  const xpose_axis long_axis = {"tile", many.data(), many.size()};
  xpose_axis three[] = {long_axis, long_axis, long_axis};
  three[1].name = "rows";
  three[2].name = "cols";
  EXPECT_NE(with([&](xpose_card& c) {
              c.axes = three;
              c.axis_count = 3;
            }).find("more than 4096 configs"),
            std::string::npos);
  card = good;
  strategy.launch = nullptr;
  EXPECT_NE(refusal().find("launch"), std::string::npos);
}

TEST_F(ReadPlugin, LimitsThatNothingMeetsAreNamed) {
  const xpose_card good = card;
  const auto with = [&](const auto& change) {
    card = good;
    change(card);
    return refusal();
  };
  EXPECT_EQ(with([](xpose_card& c) { c.max_extent = -5; }),
            "its strategy 'one' serves at most -5 rows and columns; state 0 as max_extent for no "
            "limit");
  EXPECT_EQ(with([](xpose_card& c) { c.max_batch_rank = static_cast<uint32_t>(-1); }),
            "its strategy 'one' takes 4294967295 batch dimensions in a launch, and a problem has "
            "at most 62; state that as max_batch_rank");
  EXPECT_EQ(with([](xpose_card& c) { c.min_alignment = 512; }),
            "its strategy 'one' asks for an alignment of 512 bytes, and problems tell of at most "
            "256; lower min_alignment");
  EXPECT_EQ(with([](xpose_card& c) { c.min_compute_capability = static_cast<uint32_t>(-80); }),
            "its strategy 'one' asks for the compute capability 4294967216, which no device has; "
            "state 10 * major + minor as min_compute_capability");
  EXPECT_EQ(with([](xpose_card& c) {
              c.max_extent = 1;
              c.max_batch_rank = XPOSE_MAX_BATCH_RANK;
              c.min_alignment = 256;
              c.min_compute_capability = 120;
            }),
            "");
}

TEST_F(ReadPlugin, TwoAxesOfOneNameAreRefused) {
  const xpose_axis two[] = {axis, axis};
  card.axes = two;
  card.axis_count = 2;
  EXPECT_EQ(refusal(), "its strategy 'one' has two axes named 'tile'; rename one");
}

TEST_F(ReadPlugin, NamesHaveAtMost128Bytes) {
  const std::string longest(128, 'a'), too_long(129, 'a');
  for (const char** name : {&plugin.name, &card.name, &axis.name}) {
    const char* const good = *name;
    *name = longest.c_str();
    EXPECT_EQ(refusal(), "");
    *name = too_long.c_str();
    EXPECT_NE(refusal().find("with at most 128 bytes"), std::string::npos) << refusal();
    *name = good;
  }
}

TEST_F(ReadPlugin, SummariesHaveAtMost512Bytes) {
  const std::string longest(512, 's'), too_long(513, 's');
  card.summary = longest.c_str();
  EXPECT_EQ(refusal(), "");
  card.summary = too_long.c_str();
  EXPECT_EQ(refusal(), "its strategy 'one' has a summary of more than 512 bytes; shorten it");
}

TEST_F(ReadPlugin, FreeTextsAreCutAndCleaned) {
  const std::string version = "1\x1b[2J" + std::string(1 << 20, 'v');
  plugin.version = version.c_str();
  plugin.build = "g++ \xe2\x80\xae\xff";
  card.summary = "a\nstrategy";
  const PluginInfo info = read_plugin(&plugin).info;
  EXPECT_EQ(info.version.size(), 512U);
  EXPECT_TRUE(info.version.starts_with("1 [2Jvv"));
  EXPECT_EQ(info.build, "g++ ??");
  EXPECT_EQ(info.strategies.at(0).summary, "a strategy");
}

// Strategies of their own names, each with its own card.
class ReadManyStrategies : public ReadPlugin {
 protected:
  void offer(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) names.push_back("s" + std::to_string(i));
    cards.assign(count, card);
    many.assign(count, strategy);
    for (std::size_t i = 0; i < count; ++i) {
      cards[i].name = names[i].c_str();
      many[i].card = &cards[i];
      list.push_back(&many[i]);
    }
    plugin.strategies = list.data();
    plugin.strategy_count = static_cast<std::uint32_t>(count);
  }

  std::vector<std::string> names;
  std::vector<xpose_card> cards;
  std::vector<xpose_strategy> many;
  std::vector<const xpose_strategy*> list;
};

TEST_F(ReadManyStrategies, AreAtMost256) {
  offer(257);
  EXPECT_EQ(refusal(), "offers more than 256 strategies; make several plugins of it");
  plugin.strategy_count = 256;
  EXPECT_EQ(refusal(), "");
  plugin.strategy_count = 0xffffffff;  // nor is more looked at
  EXPECT_NE(refusal(), "");
}

}  // namespace
}  // namespace xpose
