// Seconds follow from the curves of a disk by hand-made arithmetic, and curves survive JSON.
#include "forecast/disk_curves.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
constexpr auto kMB = std::uint64_t{1000000};

// Runs of 4 KiB at 100 MB/s, and of 16 KiB and more at 200 and 400.
const std::vector<RatePoint> kCurve = {{4 * kKiB, 100e6}, {16 * kKiB, 200e6}, {kMiB, 400e6}};

// The disk reads and writes 100 MB/s, whatever the runs.
DiskCurves even_disk(double together) { return {{{1, 100e6}}, {{1, 100e6}}, {together, together}}; }

TEST(DiskCurves, AreMetAtTheirPoints) {
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, 4 * kKiB, 100 * kMB), 1);
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, 16 * kKiB, 100 * kMB), 0.5);
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, kMiB, 100 * kMB), 0.25);
}

TEST(DiskCurves, AreStraightOverTheNumberOfRuns) {
  // 1/8 KiB lies a third of the way from 1/16 to 1/4.
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, 8 * kKiB, 300 * kMB), 1.5 + (3 - 1.5) / 3);
}

TEST(DiskCurves, ShorterRunsTakeAsLongAsTheShortest) {
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, kKiB, 100 * kMB), 4);
}

TEST(DiskCurves, LongerRunsAreAsFastAsTheLongest) {
  EXPECT_DOUBLE_EQ(seconds_of(kCurve, 64 * kMiB, 100 * kMB), 0.25);
}

TEST(PassForecast, OneTileIsReadThenPermutedThenWritten) {
  const PassForecast found = pass_forecast({100 * kMB, 1, kMiB, kMiB, 0.5}, even_disk(2));
  EXPECT_DOUBLE_EQ(found.reading, 1);
  EXPECT_DOUBLE_EQ(found.writing, 1);
  EXPECT_DOUBLE_EQ(found.seconds, 2.5);
}

TEST(PassForecast, ManyTilesHideAllButTheEnds) {
  // The ends are a tenth of 1 + 0.5 + 1 s; between them reading and writing delay each other not at
  // all, or take turns.
  EXPECT_DOUBLE_EQ(pass_forecast({100 * kMB, 10, kMiB, kMiB, 0.5}, even_disk(2)).seconds,
                   0.25 + 0.9);
  EXPECT_DOUBLE_EQ(pass_forecast({100 * kMB, 10, kMiB, kMiB, 0.5}, even_disk(1)).seconds,
                   0.25 + 1.8);
}

TEST(PassForecast, PermutingCountsWhereItIsSlowest) {
  EXPECT_DOUBLE_EQ(pass_forecast({100 * kMB, 10, kMiB, kMiB, 4}, even_disk(2)).seconds, 0.6 + 3.6);
}

TEST(PassForecast, ShortRunsHaveTheirOwnRatesAtOnce) {
  DiskCurves curves = even_disk(2);
  curves.at_once.in_short_runs = 1;
  const auto seconds = [&](std::uint64_t in_run, std::uint64_t out_run) {
    return pass_forecast({100 * kMB, 1000000000, in_run, out_run, 0}, curves).seconds;
  };
  EXPECT_NEAR(seconds(kShortRun, 64 * kMiB), 2, 1e-6);
  EXPECT_NEAR(seconds(64 * kMiB, kShortRun), 2, 1e-6);
  EXPECT_NEAR(seconds(2 * kShortRun, 2 * kShortRun), 2 / 1.5, 1e-6);
  EXPECT_NEAR(seconds(kKiB, kKiB), 2, 1e-6);
}

TEST(CopySeconds, AreThoseOfTheLongestRuns) {
  EXPECT_DOUBLE_EQ(copy_seconds(100 * kMB, {kCurve, kCurve, {1, 1}}), 0.5);
  EXPECT_DOUBLE_EQ(copy_seconds(100 * kMB, {kCurve, kCurve, {1, 2}}), 0.25);
}

TEST(DiskCurvesDocument, IsReadAsItWasWritten) {
  const DiskCurves curves{kCurve, {{4 * kKiB, 123456789.125}}, {1.25, 1.75}};
  const Json json = parse_json(to_json(curves).dump(), 1 << 16);
  EXPECT_EQ(disk_curves_of(JsonValue(json)), curves);
}

TEST(DiskCurvesDocument, RefusesCurvesThatCannotBe) {
  const Json good = to_json({kCurve, kCurve, {1, 2}});
  const auto refused = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    EXPECT_THROW(disk_curves_of(JsonValue(bad)), Error) << pointer << " of " << value;
  };
  refused("/read", Json::array());
  refused("/write", "fast");
  refused("/read/0/bytes_per_second", 0);
  refused("/read/0/run_bytes", 0);
  refused("/read/1/run_bytes", 4 * kKiB);  // not more than the one before
  refused("/at_once/in_long_runs", 2.5);
  refused("/at_once/in_short_runs", 0.5);
}

}  // namespace
}  // namespace xpose::app
