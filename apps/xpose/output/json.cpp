#include "output/json.hpp"

#include "xpose/plugin.h"

namespace xpose::app {
Json to_json(const Config& config) {
  Json json = Json::object();
  for (const AxisValue& value : config) json[value.axis] = value.value;
  return json;
}

Json to_json(const DeviceInfo& device) {
  return {{"device", to_string(device.device)},
          {"name", device.name},
          {"multiprocessors", device.multiprocessors},
          {"compute_capability", device.compute_capability},
          {"cache_bytes", device.cache_bytes},
          {"memory_bytes", device.memory_bytes}};
}

Json to_json(const PluginInfo& plugin) {
  Json json;
  json["file"] = plugin.file.string();
  json["digest"] = plugin.digest.empty() ? Json(nullptr) : Json(plugin.digest);
  json["name"] = plugin.name;
  json["version"] = plugin.version;
  json["build"] = plugin.build;
  json["refused"] = plugin.refused.empty() ? Json(nullptr) : Json(plugin.refused);
  json["strategies"] = Json::array();
  for (const StrategyInfo& strategy : plugin.strategies) {
    Json axes = Json::object();
    for (const auto& [name, values] : strategy.axes) axes[name] = values;
    Json sizes = Json::array();
    for (unsigned bytes = 1; bytes <= XPOSE_MAX_ELEMENT_BYTES; ++bytes)
      if (serves_elements(strategy.element_sizes, bytes)) sizes.push_back(bytes);
    json["strategies"].push_back(
        {{"name", strategy.name},
         {"summary", strategy.summary},
         {"device", strategy.device_kind == DeviceKind::host ? "host" : "cuda"},
         {"role", to_string(strategy.role)},
         {"element_sizes", sizes},
         {"min_alignment", strategy.min_alignment},
         {"max_batch_rank", strategy.max_batch_rank},
         {"max_extent", strategy.max_extent},
         {"in_place", strategy.in_place},
         {"capturable", strategy.capturable},
         {"permutes", strategy.permutes},
         {"has_simulator", strategy.has_simulator},
         {"min_compute_capability", strategy.min_compute_capability},
         {"prior_rank", strategy.prior_rank},
         {"axes", axes}});
  }
  return json;
}

// The library writes both for callers in every language.
Json to_json(const Problem& problem) { return Json::parse(problem_json(problem)); }

Json to_json(const TuneReport& report) { return Json::parse(tune_json(report)); }

// Names of files may hold any bytes: all but UTF-8 is replaced, and all but ASCII escaped,
// since it may be printed on a terminal.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', true, Json::error_handler_t::replace);
}

void JsonOutput::write(const Json& document) {
  if (output_.is_wanted()) output_.write(text_of(document) + '\n');
}

}  // namespace xpose::app
