#include "worker/protocol.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "names.hpp"

namespace xpose {

using Json = nlohmann::json;

namespace {

constexpr std::array kinds = {"hello", "load", "quote", "prepare", "verify", "time"};

// Any bytes may come from a plugin: what is not UTF-8 is replaced.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

constexpr int max_depth = 8;

const Json& array(const Json& json) {
  if (!json.is_array()) throw Error(ErrorKind::failed, "an array is missing");
  return json;
}

// A value of exactly the type asked for: the library would turn 1e300 or -1 into something.
template <class T>
T read(const Json& json) {
  if constexpr (std::is_same_v<T, Values>) {
    Values values;
    for (const Json& value : array(json)) values.push_back(read<std::int64_t>(value));
    return values;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits = json.is_number_unsigned()
                          ? std::in_range<T>(json.get<std::uint64_t>())
                          : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
    if (!fits)
      throw Error(ErrorKind::failed, "not an integer in range: " + json.dump().substr(0, 80));
    return json.get<T>();
  } else {
    return json.get<T>();
  }
}
template <class T>
void read(const Json& json, const char* name, T& value) {
  value = read<T>(json.at(name));
}

// Reads a payload; what is missing or of another type is an Error that says where.
template <class Read>
auto decode(const char* what, std::string_view payload, const Read& read) {
  try {
    // Deep nesting would cost much memory before it turns out to be nothing of ours.
    return read(Json::parse(payload, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > max_depth) throw Error(ErrorKind::failed, "too deeply nested");
      return true;
    }));
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::failed, std::string("not ") + what + ": " + error.what());
  }
}

Json to_json(const Device& device) {
  return {{"cuda", device.kind == DeviceKind::cuda}, {"ordinal", device.ordinal}};
}
Device device_of(const Json& json) {
  return {json.at("cuda").get<bool>() ? DeviceKind::cuda : DeviceKind::host,
          read<int>(json.at("ordinal"))};
}

Json to_json(const DeviceInfo& info) {
  return {{"device", to_json(info.device)},
          {"name", info.name},
          {"id", info.id},
          {"driver", info.driver},
          {"multiprocessors", info.multiprocessors},
          {"compute_capability", info.compute_capability},
          {"cache_bytes", info.cache_bytes},
          {"memory_bytes", info.memory_bytes}};
}
DeviceInfo device_info_of(const Json& json) {
  DeviceInfo info{};
  info.device = device_of(json.at("device"));
  read(json, "name", info.name);
  read(json, "id", info.id);
  read(json, "driver", info.driver);
  read(json, "multiprocessors", info.multiprocessors);
  read(json, "compute_capability", info.compute_capability);
  read(json, "cache_bytes", info.cache_bytes);
  read(json, "memory_bytes", info.memory_bytes);
  return info;
}

Json to_json(const Problem& problem) {
  Json batch = Json::array();
  for (const BatchDim& dim : problem.batch)
    batch.push_back({dim.extent, dim.in_stride, dim.out_stride});
  return {{"element_bytes", problem.element_bytes},
          {"rows", problem.rows},
          {"cols", problem.cols},
          {"in_ld", problem.in_ld},
          {"out_ld", problem.out_ld},
          {"batch", batch},
          {"in_place", problem.in_place},
          {"in_alignment", problem.in_alignment},
          {"out_alignment", problem.out_alignment},
          {"device", to_json(problem.device)}};
}
Problem problem_of(const Json& json) {
  Problem problem;
  read(json, "element_bytes", problem.element_bytes);
  read(json, "rows", problem.rows);
  read(json, "cols", problem.cols);
  read(json, "in_ld", problem.in_ld);
  read(json, "out_ld", problem.out_ld);
  for (const Json& dim : array(json.at("batch")))
    problem.batch.push_back({read<std::int64_t>(dim.at(0)), read<std::int64_t>(dim.at(1)),
                             read<std::int64_t>(dim.at(2))});
  read(json, "in_place", problem.in_place);
  read(json, "in_alignment", problem.in_alignment);
  read(json, "out_alignment", problem.out_alignment);
  problem.device = device_of(json.at("device"));
  return problem;
}

Json to_json(const Finding& finding) {
  return {{"verdict", to_string(finding.verdict)}, {"detail", finding.detail}};
}
Finding finding_of(const Json& json) {
  const auto name = json.at("verdict").get<std::string>();
  const std::optional<Verdict> verdict = parse_verdict(name);
  if (!verdict) throw Error(ErrorKind::failed, "there is no verdict '" + name + "'");
  return {*verdict, json.at("detail").get<std::string>()};
}

Json to_json(const PluginInfo& plugin) {
  Json strategies = Json::array();
  for (const StrategyInfo& strategy : plugin.strategies) {
    Json axes = Json::array();
    for (const auto& [name, values] : strategy.axes) axes.push_back({name, values});
    strategies.push_back({{"name", strategy.name},
                          {"summary", strategy.summary},
                          {"cuda", strategy.device_kind == DeviceKind::cuda},
                          {"copy", strategy.is_copy},
                          {"element_sizes", strategy.element_sizes},
                          {"min_alignment", strategy.min_alignment},
                          {"min_compute_capability", strategy.min_compute_capability},
                          {"max_batch_rank", strategy.max_batch_rank},
                          {"in_place", strategy.in_place},
                          {"capturable", strategy.capturable},
                          {"max_extent", strategy.max_extent},
                          {"prior_rank", strategy.prior_rank},
                          {"axes", axes}});
  }
  return {{"file", plugin.file.string()}, {"digest", plugin.digest}, {"name", plugin.name},
          {"version", plugin.version},    {"build", plugin.build},   {"strategies", strategies}};
}
StrategyInfo strategy_of(const Json& json) {
  StrategyInfo strategy;
  read(json, "name", strategy.name);
  read(json, "summary", strategy.summary);
  strategy.device_kind = json.at("cuda").get<bool>() ? DeviceKind::cuda : DeviceKind::host;
  read(json, "copy", strategy.is_copy);
  read(json, "element_sizes", strategy.element_sizes);
  read(json, "min_alignment", strategy.min_alignment);
  read(json, "min_compute_capability", strategy.min_compute_capability);
  read(json, "max_batch_rank", strategy.max_batch_rank);
  read(json, "in_place", strategy.in_place);
  read(json, "capturable", strategy.capturable);
  read(json, "max_extent", strategy.max_extent);
  read(json, "prior_rank", strategy.prior_rank);
  for (const Json& axis : array(json.at("axes")))
    strategy.axes.emplace_back(axis.at(0).get<std::string>(), read<Values>(axis.at(1)));
  return strategy;
}
PluginInfo plugin_of(const Json& json) {
  PluginInfo plugin;
  plugin.file = json.at("file").get<std::string>();
  read(json, "digest", plugin.digest);
  read(json, "name", plugin.name);
  read(json, "version", plugin.version);
  read(json, "build", plugin.build);
  for (const Json& strategy : array(json.at("strategies")))
    plugin.strategies.push_back(strategy_of(strategy));
  return plugin;
}

}  // namespace

std::string build_version() { return XPOSE_VERSION ", protocol 1"; }

std::string encode(const Request& request) {
  return text_of({{"id", request.id},
                  {"do", kinds.at(static_cast<std::size_t>(request.what))},
                  {"version", request.version},
                  {"file", request.file},
                  {"digest", request.digest},
                  {"strategy", request.strategy},
                  {"configs", request.configs},
                  {"problem", to_json(request.problem)},
                  {"device", to_json(request.device)},
                  {"threads", request.threads},
                  {"warm", request.warm}});
}

Request decode_request(std::string_view payload) {
  return decode("a request", payload, [](const Json& json) {
    Request request;
    read(json, "id", request.id);
    const auto name = json.at("do").get<std::string>();
    const auto* const kind = std::find(kinds.begin(), kinds.end(), name);
    if (kind == kinds.end()) throw Error(ErrorKind::failed, "there is no request '" + name + "'");
    request.what = static_cast<Request::What>(kind - kinds.begin());
    read(json, "version", request.version);
    read(json, "file", request.file);
    read(json, "digest", request.digest);
    read(json, "strategy", request.strategy);
    for (const Json& values : array(json.at("configs")))
      request.configs.push_back(read<Values>(values));
    request.problem = problem_of(json.at("problem"));
    request.device = device_info_of(json.at("device"));
    read(json, "threads", request.threads);
    read(json, "warm", request.warm);
    return request;
  });
}

std::string encode(const Reply& reply) {
  if (!reply.stage.empty()) return text_of({{"id", reply.id}, {"stage", reply.stage}});
  Json json = {{"id", reply.id}, {"finding", to_json(reply.finding)}, {"seconds", reply.seconds}};
  json["quotes"] = Json::array();
  for (const QuoteAnswer& quote : reply.quotes)
    json["quotes"].push_back({{"finding", to_json(quote.finding)},
                              {"launch", quote.launch},
                              {"workspace", quote.workspace_bytes}});
  if (reply.plugin) json["plugin"] = to_json(*reply.plugin);
  return text_of(json);
}

Reply decode_reply(std::string_view payload) {
  return decode("a reply", payload, [](const Json& json) {
    Reply reply;
    read(json, "id", reply.id);
    if (json.contains("stage")) {
      read(json, "stage", reply.stage);
      return reply;
    }
    reply.finding = finding_of(json.at("finding"));
    read(json, "seconds", reply.seconds);
    for (const Json& quote : array(json.at("quotes")))
      reply.quotes.push_back({finding_of(quote.at("finding")),
                              quote.at("launch").get<std::string>(),
                              read<std::uint64_t>(quote.at("workspace"))});
    if (json.contains("plugin")) reply.plugin = plugin_of(json.at("plugin"));
    return reply;
  });
}

std::string encode(const PluginInfo& plugin) { return text_of(to_json(plugin)); }

PluginInfo decode_plugin(std::string_view payload) {
  return decode("a plugin's description", payload,
                [](const Json& json) { return plugin_of(json); });
}

}  // namespace xpose
