// Forecasts against counts and seconds by hand, and against the routes themselves.
#include <gtest/gtest.h>

#include <algorithm>

#include "route/scattered.hpp"
#include "xpose/forecast.hpp"

namespace xpose {
namespace {

std::string refusal(const Placement& placement, const ForecastOptions& options) {
  try {
    forecast(placement, placement, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    return error.what();
  }
  return "";
}

// A millisecond a message, and a second for a GiB, in powers of two that double holds.
RouteCurves simple_curves() {
  return {.ranks = 2,
          .ranks_per_host = 2,
          .inside = {{1024, 0.25}, {2048, 0.5}},
          .between = {{1024, 1}, {4096, 4}},
          .kept = {{1024, 0.125}}};
}

// 16 x 32 elements of 8 bytes over two ranks: each has 4096 bytes, sends half and keeps half.
const Placement kFrom = row_slabs(16, 32, 8, 2), kTo = row_slabs(32, 16, 8, 2);

TEST(RouteForecastTest, TwoRanksOfOneHost) {
  const RouteForecast found =
      forecast(kFrom, kTo, {.ranks_per_host = 2, .curves = simple_curves()});
  EXPECT_EQ(found.figures, foresee(kFrom, kTo));
  EXPECT_EQ(found.figures.messages, 2);
  EXPECT_EQ(found.passes, 1);
  EXPECT_EQ(found.tiles, 6);  // each packs, unpacks and moves one
  EXPECT_EQ(found.most_buffer_bytes, 1024u * 2);
  EXPECT_EQ(found.most_host_bytes, 0);
  EXPECT_EQ(found.floor_seconds, 0);
  EXPECT_EQ(found.seconds, 0.25 + 0.125);
}

TEST(RouteForecastTest, TwoRanksOfTwoHosts) {
  const RouteForecast found = forecast(kFrom, kTo, {.wire = 512, .curves = simple_curves()});
  EXPECT_EQ(found.most_host_bytes, 1024);
  EXPECT_EQ(found.floor_seconds, 2);
  EXPECT_EQ(found.seconds, 1 + 0.125);
}

TEST(RouteForecastTest, TheWireStandsForCurvesOfOneHost) {
  RouteCurves curves = simple_curves();
  curves.between.clear();
  const RouteForecast found = forecast(kFrom, kTo, {.wire = 1024, .curves = curves});
  EXPECT_EQ(found.seconds, 0.25 + 1 + 0.125);
}

TEST(RouteForecastTest, WithoutCurvesOnlyTheWireIsForeseen) {
  const RouteForecast found = forecast(kFrom, kTo, {.wire = 1024});
  EXPECT_EQ(found.floor_seconds, 1);
  EXPECT_EQ(found.seconds, 0);
}

TEST(RouteForecastTest, ChunksEachCostAMessage) {
  // A chunk has 512 bytes at most: 8 lines of 8 elements.
  const RouteForecast found =
      forecast(kFrom, kTo, {.memory = 1024, .ranks_per_host = 2, .curves = simple_curves()});
  EXPECT_EQ(found.passes, 2);
  EXPECT_EQ(found.most_buffer_bytes, 512u * 2);
  EXPECT_EQ(found.tiles, 10);
  EXPECT_EQ(found.seconds, 2 * 0.25 + 0.125);
}

TEST(RouteForecastTest, CurvesAreStraightBetweenAndBeyondTheirPoints) {
  RouteCurves curves = simple_curves();
  curves.kept.clear();
  const auto seconds = [&](std::int64_t cols) {  // a message of 64 bytes for each pair of columns
    return forecast(row_slabs(16, cols, 8, 2), row_slabs(cols, 16, 8, 2),
                    {.ranks_per_host = 2, .curves = curves})
        .seconds;
  };
  EXPECT_EQ(seconds(2), 0.25);
  EXPECT_EQ(seconds(48), 0.375);
  EXPECT_EQ(seconds(128), 1.0);
}

TEST(RouteForecastTest, ACrowdedHostTakesTheMeanOfItsRanks) {
  RouteCurves curves = simple_curves();
  const Placement one = on_one_rank(32, 16, 8, 0);
  ForecastOptions options{.ranks_per_host = 2, .curves = curves};
  // Rank 1 sends 2048 bytes and rank 0 keeps as many: each end has half of the message.
  EXPECT_EQ(forecast(kFrom, one, options).seconds, 0.25 + 0.25);
  options.curves.crowding = 4;
  EXPECT_EQ(forecast(kFrom, one, options).seconds, (0.25 + 0.25 + 0.25) / 2);
  options.curves.crowding = 1.25;
  EXPECT_EQ(forecast(kFrom, one, options).seconds, 0.5 / 1.25);
}

TEST(RouteForecastTest, ShortRunsTakeLonger) {
  RouteCurves curves = simple_curves();
  curves.inside = {{1, 0}};
  curves.kept.clear();
  curves.runs = {{16, 0.5}, {64, 0.125}};
  Placement cyclic = block_cyclic({.m = 16, .n = 16, .mb = 2, .nb = 16, .nprow = 2, .npcol = 1}, 8);
  cyclic.order = Order::row_major;
  // 16 x 16: a message and a kept part of 512 bytes, by runs of 2 elements instead of 8.
  const double seconds = forecast(cyclic, cyclic, {.ranks_per_host = 2, .curves = curves}).seconds;
  EXPECT_EQ(seconds, 512 * 0.5 * 2 + 512 * 0.5);
}

TEST(RouteForecastTest, TheRollCallCountsTheOthers) {
  RouteCurves curves = simple_curves();
  curves.seconds_per_rank = 0.5;
  const Placement empty = row_slabs(0, 0, 8, 5);
  EXPECT_EQ(forecast(empty, empty, {.curves = curves}).seconds, 2);
}

// Every pair of ranks by itself.
TEST(RouteForecastTest, KindsAgreeWithEveryMessageOfRandomLayouts) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Draw draw(seed);
    const auto ranks = static_cast<int>(draw.number(1, 12));
    const auto per_host = static_cast<int>(draw.number(1, 5));
    const std::int64_t rows = draw.number(0, 60), cols = draw.number(0, 60);
    const Placement from = draw.placement(rows, cols, 4, ranks);
    const Placement to = draw.placement(cols, rows, 4, ranks);
    const LeastTraffic least(from, to, true);
    const RouteForecast found = forecast(from, to, {.ranks_per_host = per_host});
    EXPECT_EQ(found.figures.messages, static_cast<std::int64_t>(least.pairs.size())) << seed;
    EXPECT_EQ(found.figures.bytes_sent, least.moves * 4) << seed;
    const auto crosses = std::ranges::count_if(least.pairs, [&](const std::pair<int, int>& pair) {
      return pair.first / per_host != pair.second / per_host;
    });
    EXPECT_EQ(found.most_host_bytes > 0, crosses > 0) << seed;
    EXPECT_EQ(forecast(from, to, {.ranks_per_host = ranks}).most_host_bytes, 0) << seed;
    if (per_host == 1) {
      EXPECT_EQ(found.most_host_bytes, found.figures.most_bytes) << seed;
    }
  }
}

TEST(RouteForecastTest, AMessageHasTheShareOfOneAmongThoseOfARank) {
  // Slabs of 2048 bytes, two of which make one of the target: a rank receives two at most.
  const RouteForecast found = forecast(row_slabs(64, 32, 8, 8), row_slabs(64, 32, 8, 4),
                                       {.transpose = false, .memory = 8192});
  EXPECT_EQ(found.figures.most_messages, 2);
  EXPECT_EQ(found.passes, 1);
  EXPECT_EQ(found.most_buffer_bytes, 3u * 2048);
}

TEST(RouteForecastTest, APebibyteOnThousandsOfRanks) {
  constexpr std::int64_t kSide = 1 << 23;  // of 16 bytes
  const Placement from = row_slabs(kSide, kSide, 16, 4096);
  const RouteForecast found =
      forecast(from, from,
               {.memory = std::uint64_t{1} << 32, .ranks_per_host = 8, .curves = simple_curves()});
  EXPECT_EQ(found.figures.messages, std::int64_t{4096} * 4095);
  EXPECT_EQ(found.most_host_bytes, std::int64_t{8} * 4088 * 2048 * 2048 * 16);
  EXPECT_EQ(found.passes, 128);  // of 2048 lines, 16 at a time
  EXPECT_GT(found.seconds, found.floor_seconds);
}

// Neither a pair of ranks nor a pair within a host is looked at, which took minutes.
TEST(RouteForecastTest, RanksByTheTensOfThousandsTakeNoLonger) {
  constexpr std::int64_t kRanks = 1 << 16, kSide = 1 << 20;
  const Placement from = row_slabs(kSide, kSide, 8, kRanks);
  for (const std::int64_t per_host : {std::int64_t{1}, std::int64_t{1024}, kRanks}) {
    const RouteForecast found =
        forecast(from, from, {.ranks_per_host = static_cast<int>(per_host)});
    EXPECT_EQ(found.figures.messages, kRanks * (kRanks - 1));
    EXPECT_EQ(found.figures.most_messages, kRanks - 1);
    EXPECT_EQ(found.figures.bytes_kept, kRanks * 16 * 16 * 8);
    EXPECT_EQ(found.most_host_bytes, per_host * (kRanks - per_host) * 16 * 16 * 8);
    EXPECT_EQ(found.tiles, kRanks * (2 * (kRanks - 1) + 1));
  }
}

TEST(RouteForecastTest, TooManyPiecesAreRefused) {
  const std::int64_t rows = std::int64_t{1} << 40;
  Placement from = row_slabs(rows, 4, 1, 8), to = from;
  to.rows = blocks(rows, 1, 8);
  try {
    forecast(from, to, {.transpose = false});
    ADD_FAILURE() << "a trillion pieces";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    EXPECT_STREQ(error.what(),
                 "two placements cut an axis of 1099511627776 indices into more than 2^24 pieces "
                 "before these repeat, which take too much memory: use longer blocks, or blocks "
                 "and parts with a common multiple");
  }
}

TEST(RouteForecastTest, WrongOptionsAndCurvesAreRefused) {
  const Placement placement = row_slabs(4, 4, 4, 2);
  EXPECT_NE(refusal(placement, {.ranks_per_host = 0}).find("1 rank or more, not 0"),
            std::string::npos);
  EXPECT_NE(refusal(placement, {.wire = 0}).find("more than 0 bytes a second"), std::string::npos);
  RouteCurves curves = simple_curves();
  curves.inside = {{2048, 1}, {1024, 1}};
  EXPECT_NE(refusal(placement, {.curves = curves}).find("'inside' are not in the order"),
            std::string::npos);
  curves = simple_curves();
  curves.kept = {{1024, -1}};
  EXPECT_NE(refusal(placement, {.curves = curves}).find("'kept' has no seconds"),
            std::string::npos);
  curves = simple_curves();
  curves.crowding = 0;
  EXPECT_NE(refusal(placement, {.curves = curves}).find("crowding"), std::string::npos);
}

}  // namespace
}  // namespace xpose
