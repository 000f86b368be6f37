#include <nlohmann/json.hpp>

#include "reported.hpp"
#include "xpose/forecast.hpp"

namespace xpose {
namespace {

using Json = nlohmann::ordered_json;

Json points_json(const std::vector<CurvePoint>& points) {
  Json json = Json::array();
  for (const CurvePoint& point : points)
    json.push_back({{"bytes", point.bytes}, {"seconds", point.seconds}});
  return json;
}

}  // namespace

std::string curves_json(const RouteCurves& curves) {
  return reported([&] {
    const Json json = {{"schema", "xpose.curves/1"},
                       {"ranks", curves.ranks},
                       {"ranks_per_host", curves.ranks_per_host},
                       {"inside", points_json(curves.inside)},
                       {"between", points_json(curves.between)},
                       {"kept", points_json(curves.kept)},
                       {"runs", points_json(curves.runs)},
                       {"seconds_per_rank", curves.seconds_per_rank},
                       {"crowding", curves.crowding}};
    return json.dump(2) + '\n';
  });
}

}  // namespace xpose
