#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "bench/bench_run.hpp"
#include "output/json_reader.hpp"

namespace xpose::app {
namespace {

constexpr const char* kSchema = "xpose.bench/1";
constexpr std::size_t kMaxDocument = 16U << 20;
constexpr std::size_t kMaxRows = 10000;
constexpr double kLongest = 1e6;  // seconds

Json json_of(const TimedVariant& timed, std::uint64_t bytes) {
  return {{"variant", timed.variant},
          {"launch", timed.launch},
          {"seconds", timed.seconds},
          {"spread", timed.spread},
          {"gb_per_s", static_cast<double>(bytes) / timed.seconds * 1e-9}};
}

// Null where a cell has no mark.
template <class Value>
Json marked(const Cell& cell, Value value) {
  return cell.has_marks() ? Json(value) : Json();
}

Json json_of(const CellResult& result) {
  Problem problem = result.cell.problem;
  problem.device = result.device;
  Json json = {{"cell", result.cell.name},
               {"row", result.cell.row},
               {"device", to_string(result.device)},
               {"problem", to_json(problem)},
               {"warm", result.cell.warm},
               {"threads", result.cell.threads},
               {"reach", marked(result.cell, result.cell.reach)},
               {"aim", marked(result.cell, result.cell.aim)}};
  if (!result.skipped.empty()) {
    json["skipped"] = result.skipped;
    return json;
  }
  json["skipped"] = nullptr;
  json["bytes"] = result.bytes;
  json["roof"] = json_of(result.roof, result.bytes);
  json["winner"] = json_of(result.winner, result.bytes);
  if (result.estimate) {
    json["estimate"] = json_of(*result.estimate, result.bytes);
    json["estimate"]["share_of_winner"] = result.estimate_share();
  }
  json["share_of_roof"] = result.share();
  json["reaches"] = marked(result.cell, result.reaches());
  json["aims"] = marked(result.cell, result.aims());
  json["peers"] = Json::array();
  for (const PeerFigure& peer : result.peers) {
    json["peers"].push_back({{"variant", peer.variant}, {"verdict", peer.verdict}});
    if (!peer.has_time()) continue;
    json["peers"].back()["seconds"] = peer.seconds;
    json["peers"].back()["share_of_roof"] = result.share_of(peer.seconds);
  }
  json["untried"] = result.untried;
  json["seconds"] = result.seconds;
  return json;
}

Json json_of(const BenchSetup& setup) {
  Json json = {
      {"budget", setup.budget_seconds}, {"quick", setup.quick},     {"warm", setup.warm},
      {"threads", setup.threads},       {"devices", Json::array()}, {"plugins", Json::object()}};
  for (const DeviceInfo& device : setup.devices) {
    json["devices"].push_back(to_json(device));
    json["devices"].back()["driver"] = device.driver;
  }
  for (const auto& [name, digest] : setup.plugins) json["plugins"][name] = digest;
  return json;
}

TimedVariant timed_of(const JsonValue& value) {
  return {.variant = value.field("variant").name(),
          .launch = value.field("launch").text(),
          .seconds = value.field("seconds").number(1e-12, kLongest),
          .spread = value.field("spread").number(0, kLongest)};
}

Problem problem_of(const JsonValue& value, Device device) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto bytes_of = [&](const char* name) {
    return static_cast<std::uint32_t>(value.field(name).whole(1, 256));
  };
  Problem problem = {.element_bytes = bytes_of("element_bytes"),
                     .rows = value.field("rows").whole(0, kMost),
                     .cols = value.field("cols").whole(0, kMost),
                     .in_ld = value.field("in_ld").whole(-kMost, kMost),
                     .out_ld = value.field("out_ld").whole(-kMost, kMost),
                     .in_place = value.field("in_place").truth(),
                     .in_alignment = bytes_of("in_alignment"),
                     .out_alignment = bytes_of("out_alignment"),
                     .device = device};
  for (const JsonValue& dim : value.field("batch").items(kMaxRows))
    problem.batch.push_back({.extent = dim.field("extent").whole(0, kMost),
                             .in_stride = dim.field("in_stride").whole(-kMost, kMost),
                             .out_stride = dim.field("out_stride").whole(-kMost, kMost)});
  return problem;
}

// A cell that no table has any more, such as one of another draw.
Cell cell_of(const JsonValue& value, Device device) {
  return {.row = value.field("row").text(),
          .name = value.field("cell").name(),
          .problem = problem_of(value.field("problem"), device),
          .warm = value.field("warm").truth(),
          .threads = static_cast<unsigned>(
              value.field("threads").whole(0, std::numeric_limits<std::int32_t>::max()))};
}

Device device_of(const JsonValue& value, const BenchSetup& setup) {
  const std::string name = value.text();
  const auto found = std::ranges::find(
      setup.devices, name, [](const DeviceInfo& info) { return to_string(info.device); });
  if (found == setup.devices.end()) value.refuse("a device of the setup");
  return found->device;
}

void read_measured(CellResult& result, const JsonValue& value) {
  result.bytes = static_cast<std::uint64_t>(
      value.field("bytes").whole(1, std::numeric_limits<std::int64_t>::max()));
  result.roof = timed_of(value.field("roof"));
  result.winner = timed_of(value.field("winner"));
  if (value.has("estimate")) result.estimate = timed_of(value.field("estimate"));
  for (const JsonValue& peer : value.field("peers").items(kMaxRows)) {
    PeerFigure figure{peer.field("variant").name(), peer.field("verdict").name(), 0};
    if (figure.has_time()) figure.seconds = peer.field("seconds").number(1e-12, kLongest);
    result.peers.push_back(std::move(figure));
  }
  result.untried = static_cast<std::size_t>(
      value.field("untried").whole(0, std::numeric_limits<std::int32_t>::max()));
  result.seconds = value.field("seconds").number(0, kLongest);
}

// Marks and names of rows may change; a cell with another of these is another one.
bool is_same(const Cell& earlier, const Cell& now) {
  return earlier.problem == now.problem && earlier.warm == now.warm &&
         earlier.threads == now.threads;
}

// Nothing where the cell of that name is another one now.
std::optional<CellResult> result_of(const JsonValue& value, const BenchSetup& setup,
                                    const std::vector<std::pair<Device, Cell>>& table) {
  CellResult result;
  result.device = device_of(value.field("device"), setup);
  result.cell = cell_of(value, result.device);
  const auto known = std::ranges::find_if(table, [&](const auto& item) {
    return item.first == result.device && item.second.name == result.cell.name;
  });
  if (known != table.end()) {
    if (!is_same(result.cell, known->second)) return {};
    result.cell = known->second;
  }
  if (const JsonValue skipped = value.field("skipped"); skipped.is_null())
    read_measured(result, value);
  else
    result.skipped = skipped.name();
  return result;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

// "host (some processor)"
std::string devices_text(const JsonValue& devices) {
  std::vector<std::string> names;
  for (const JsonValue& device : devices.items(kMaxRows))
    names.push_back(device.field("device").text() + " (" + device.field("name").text() + ')');
  return listed(names);
}

// The names of the plugins that one setup lacks, or has with another digest.
std::string other_plugins(const Json& before, const Json& now) {
  std::vector<std::string> names;
  const auto add = [&](const Json& some, const Json& others) {
    for (const auto& [name, digest] : some.items())
      if ((!others.contains(name) || others[name] != digest) &&
          std::ranges::find(names, name) == names.end())
        names.push_back(name);
  };
  add(now, before);
  add(before, now);
  return listed(names);
}

// The way in which an earlier run was measured otherwise; empty where two setups are equal.
std::string difference(const JsonValue& before, const Json& earlier, const Json& now) {
  const auto differs = [&](const char* name) {
    before.field(name);
    return earlier[name] != now[name];
  };
  const auto option = [&](const char* name) {
    return "it was measured with --" + std::string(name) + ' ' + earlier[name].dump() +
           ", and this run has " + now[name].dump();
  };
  for (const char* flag : {"quick", "warm"})
    if (differs(flag))
      return before.field(flag).truth()
                 ? "it was measured with --" + std::string(flag) + ", and this run goes without"
                 : "it was measured without --" + std::string(flag) + ", and this run has it";
  if (differs("budget")) return option("budget");
  if (differs("threads")) return option("threads");
  if (differs("devices")) {
    const std::string then = devices_text(before.field("devices"));
    const std::string here = devices_text(JsonValue(now["devices"]));
    return then == here ? "it was measured with another driver or memory on " + here
                        : "it was measured on " + then + ", and this run is on " + here;
  }
  if (differs("plugins")) {
    before.field("plugins").fields(kMaxRows);
    return "it was measured with other builds of plugins: " +
           other_plugins(earlier["plugins"], now["plugins"]);
  }
  return {};
}

}  // namespace

std::string to_json_text(const BenchRun& run) {
  Json json = {{"schema", kSchema},
               {"xpose", version()},
               {"setup", json_of(run.setup)},
               {"complete", run.results.size() == run.cells && !run.interrupted},
               {"interrupted", run.interrupted},
               {"cells", Json::array()}};
  for (const CellResult& result : run.results) json["cells"].push_back(json_of(result));
  return text_of(json) + '\n';
}

std::vector<CellResult> earlier_results(std::string_view document, const BenchSetup& setup,
                                        const std::vector<std::pair<Device, Cell>>& table) {
  const Json json = parse_json(document, kMaxDocument);
  const JsonValue top(json);
  if (const JsonValue schema = top.field("schema"); schema.text() != kSchema)
    schema.refuse("\"xpose.bench/1\", a document of `xpose bench --json`");
  if (const std::string by = top.field("xpose").text(); by != version())
    throw Error(ErrorKind::failed,
                "it was measured by xpose " + by + ", and this is xpose " + version());
  const std::string other =
      difference(top.field("setup"), json["setup"], Json::parse(text_of(json_of(setup))));
  if (!other.empty()) throw Error(ErrorKind::failed, other);
  std::vector<CellResult> kept;
  for (const JsonValue& cell : top.field("cells").items(kMaxRows))
    if (auto result = result_of(cell, setup, table)) kept.push_back(std::move(*result));
  return kept;
}

}  // namespace xpose::app
