#include "forecast/disk_curves.hpp"

#include <algorithm>
#include <limits>

namespace xpose::app {
namespace {

constexpr std::size_t kMostPoints = 100;
constexpr double kMostRate = 1e15;

constexpr auto kLongest = std::numeric_limits<std::uint64_t>::max();

double runs_of_byte(std::uint64_t run_bytes) { return 1 / static_cast<double>(run_bytes); }

// Both, in runs of so many bytes, of which the shorter ones count.
double seconds_at_once(double reading, double writing, std::uint64_t run_bytes,
                       const AtOnceRates& rates) {
  const double share = std::min(runs_of_byte(run_bytes) / runs_of_byte(kShortRun), 1.0);
  const double together = share * rates.in_short_runs + (1 - share) * rates.in_long_runs;
  return std::max({reading, writing, (reading + writing) / together});
}

Json points_json(const std::vector<RatePoint>& points) {
  Json json = Json::array();
  for (const RatePoint& point : points)
    json.push_back({{"run_bytes", point.run_bytes}, {"bytes_per_second", point.bytes_per_second}});
  return json;
}

std::vector<RatePoint> points_of(const JsonValue& value) {
  std::vector<RatePoint> points;
  for (const JsonValue& item : value.items(kMostPoints)) {
    const std::int64_t least =
        points.empty() ? 1 : static_cast<std::int64_t>(points.back().run_bytes) + 1;
    points.push_back(
        {static_cast<std::uint64_t>(
             item.field("run_bytes").whole(least, std::numeric_limits<std::int64_t>::max() - 1)),
         item.field("bytes_per_second").number(1, kMostRate)});
  }
  if (points.empty()) value.refuse("a point or more");
  return points;
}

}  // namespace

double seconds_of(const std::vector<RatePoint>& curve, std::uint64_t run_bytes,
                  std::uint64_t bytes) {
  const auto per_byte = [](const RatePoint& point) { return 1 / point.bytes_per_second; };
  const auto all = static_cast<double>(bytes);
  const auto next = std::find_if(curve.begin(), curve.end(), [&](const RatePoint& point) {
    return point.run_bytes >= run_bytes;
  });
  if (next == curve.end()) return all * per_byte(curve.back());
  if (next == curve.begin())
    return all * per_byte(*next) * static_cast<double>(next->run_bytes) * runs_of_byte(run_bytes);
  const RatePoint& before = *(next - 1);
  const double share = (runs_of_byte(run_bytes) - runs_of_byte(next->run_bytes)) /
                       (runs_of_byte(before.run_bytes) - runs_of_byte(next->run_bytes));
  return all * (share * per_byte(before) + (1 - share) * per_byte(*next));
}

PassForecast pass_forecast(const PassWork& work, const DiskCurves& curves) {
  PassForecast found;
  found.reading = seconds_of(curves.read, work.in_run_bytes, work.bytes);
  found.writing = seconds_of(curves.write, work.out_run_bytes, work.bytes);
  const double ends = found.reading + work.permuting + found.writing;
  const double between =
      std::max(seconds_at_once(found.reading, found.writing,
                               std::min(work.in_run_bytes, work.out_run_bytes), curves.at_once),
               work.permuting);
  const auto tiles = work.in_turn ? 1.0 : static_cast<double>(work.tiles);
  found.seconds = (ends + (tiles - 1) * between) / tiles;
  return found;
}

double copy_seconds(std::uint64_t bytes, const DiskCurves& curves) {
  return seconds_at_once(seconds_of(curves.read, kLongest, bytes),
                         seconds_of(curves.write, kLongest, bytes), kLongest, curves.at_once);
}

Json to_json(const DiskCurves& curves) {
  return {{"read", points_json(curves.read)},
          {"write", points_json(curves.write)},
          {"at_once",
           {{"in_short_runs", curves.at_once.in_short_runs},
            {"in_long_runs", curves.at_once.in_long_runs}}}};
}

DiskCurves disk_curves_of(const JsonValue& value) {
  const JsonValue at_once = value.field("at_once");
  return {
      points_of(value.field("read")),
      points_of(value.field("write")),
      {at_once.field("in_short_runs").number(1, 2), at_once.field("in_long_runs").number(1, 2)}};
}

}  // namespace xpose::app
