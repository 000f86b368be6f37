#include "commands/curves_document.hpp"

#include <limits>

#include "output/json_reader.hpp"

namespace xpose::app {
namespace {

constexpr const char* kSchema = "xpose.curves/1";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostPoints = 1000;
constexpr double kMostSeconds = 1e9;

std::vector<CurvePoint> points_of(const JsonValue& value) {
  std::vector<CurvePoint> points;
  for (const JsonValue& item : value.items(kMostPoints)) {
    const JsonValue bytes = item.field("bytes");
    const std::int64_t least =
        points.empty() ? 1 : static_cast<std::int64_t>(points.back().bytes) + 1;
    points.push_back({static_cast<std::uint64_t>(
                          bytes.whole(least, std::numeric_limits<std::int64_t>::max() - 1)),
                      item.field("seconds").number(0, kMostSeconds)});
  }
  return points;
}

RouteCurves curves_of(const JsonValue& document) {
  const JsonValue schema = document.field("schema");
  if (schema.text() != kSchema) schema.refuse('"' + std::string(kSchema) + '"');
  constexpr int kMostRanks = 1 << 24;
  RouteCurves curves;
  curves.ranks = static_cast<int>(document.field("ranks").whole(2, kMostRanks));
  curves.ranks_per_host = static_cast<int>(document.field("ranks_per_host").whole(1, curves.ranks));
  curves.inside = points_of(document.field("inside"));
  curves.between = points_of(document.field("between"));
  curves.kept = points_of(document.field("kept"));
  curves.runs = points_of(document.field("runs"));
  curves.seconds_per_rank = document.field("seconds_per_rank").number(0, kMostSeconds);
  curves.crowding = document.field("crowding").number(1, kMostSeconds);
  return curves;
}

}  // namespace

RouteCurves read_curves(const std::string& file) try {
  const Json json = parse_json_file(file, kMostBytes);
  return curves_of(JsonValue(json));
} catch (const Error& error) {
  throw Error(ErrorKind::failed, "--curves " + one_line(file) + ": " + error.what());
}

}  // namespace xpose::app
