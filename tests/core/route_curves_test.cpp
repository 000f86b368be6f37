// Curves that are measured by ranks that are threads. Their clock stands still, so that the points
// are examined and their seconds are none.
#include <algorithm>

#include "engine_fixture.hpp"
#include "route/fake_ranks.hpp"
#include "xpose/forecast.hpp"

namespace xpose {
namespace {

class RouteCurvesTest : public EngineTest {
 protected:
  RouteCurves measured(int ranks, int ranks_per_host) {
    FakeRanks all(ranks);
    std::vector<RouteCurves> found(static_cast<std::size_t>(ranks));
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& own) {
      found[static_cast<std::size_t>(own->rank())] = measure_curves(
          engine(), {.ranks = own, .ranks_per_host = ranks_per_host, .memory = 1 << 20});
    });
    for (const std::exception_ptr& failure : failures) EXPECT_EQ(failure, nullptr);
    return found[0];
  }
};

bool rises(const std::vector<CurvePoint>& points) {
  return std::ranges::adjacent_find(points, [](const CurvePoint& one, const CurvePoint& next) {
           return one.bytes >= next.bytes;
         }) == points.end();
}

TEST_F(RouteCurvesTest, RanksOfOneHostHaveNoWire) {
  const RouteCurves curves = measured(2, 2);
  EXPECT_EQ(curves.ranks, 2);
  EXPECT_TRUE(curves.between.empty());
  EXPECT_EQ(curves.inside.size(), 10u);  // 1 KiB to half of the array
  EXPECT_EQ(curves.kept.size(), 11u);
  EXPECT_EQ(curves.runs.front().bytes, 8u);
  for (const auto* points : {&curves.inside, &curves.kept, &curves.runs})
    EXPECT_TRUE(rises(*points));
}

TEST_F(RouteCurvesTest, RanksOfSeveralHostsHaveBothCurves) {
  const RouteCurves curves = measured(4, 2);
  EXPECT_EQ(curves.inside.size(), 10u);
  EXPECT_EQ(curves.between.size(), 10u);
  const Placement from = row_slabs(64, 64, 8, 4);
  EXPECT_EQ(forecast(from, from, {.ranks_per_host = 2, .curves = curves}).figures,
            foresee(from, from));
}

TEST_F(RouteCurvesTest, RanksWithDevicesHaveCurvesOfTheSameShape) {
  FakeRanks all(2);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& carrier) {
    const auto own = carried_ranks(carrier, {});
    const RouteCurves curves =
        measure_curves(engine(), {.devices = own, .ranks_per_host = 2, .memory = 1 << 20});
    EXPECT_EQ(curves.ranks, 2);
    EXPECT_EQ(curves.inside.size(), 10u);
    EXPECT_EQ(curves.kept.size(), 11u);
    for (const auto* points : {&curves.inside, &curves.kept, &curves.runs})
      EXPECT_TRUE(rises(*points));
    EXPECT_GT(curves.seconds_per_rank, 0);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(failure, nullptr);
}

TEST_F(RouteCurvesTest, OptionsThatMakeNoCurveAreRefused) {
  const auto refusal = [&](const CurveOptions& options) {
    try {
      measure_curves(engine(), options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({}),
            "curves are measured by 2 ranks or more: give CurveOptions::ranks or devices");
  FakeRanks all(2);
  all.run([&](const std::shared_ptr<Ranks>& own) {
    EXPECT_EQ(refusal({.ranks = own, .ranks_per_host = 3}),
              "2 ranks cannot be dealt out to hosts of 3; state a divisor as ranks_per_host");
    EXPECT_EQ(refusal({.ranks = own, .memory = 5}),
              "curves need arrays of 1 MiB or more on each rank, not of 5 bytes");
  });
}

TEST(RouteCurvesJsonTest, ADocumentHasAllOfThem) {
  const RouteCurves curves{.ranks = 2,
                           .ranks_per_host = 2,
                           .inside = {{1024, 0.25}},
                           .seconds_per_rank = 0.5,
                           .crowding = 2};
  EXPECT_EQ(curves_json(curves),
            "{\n  \"schema\": \"xpose.curves/1\",\n  \"ranks\": 2,\n  \"ranks_per_host\": 2,\n"
            "  \"inside\": [\n    {\n      \"bytes\": 1024,\n      \"seconds\": 0.25\n    }\n  ],\n"
            "  \"between\": [],\n  \"kept\": [],\n  \"runs\": [],\n"
            "  \"seconds_per_rank\": 0.5,\n  \"crowding\": 2.0\n}\n");
}

}  // namespace
}  // namespace xpose
