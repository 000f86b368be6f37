#include <algorithm>
#include <limits>

#include "bench/bench_run.hpp"
#include "output/json_reader.hpp"

namespace xpose::app {
namespace {

constexpr const char* kSchema = "xpose.bench/1";
constexpr std::size_t kMaxDocument = 16U << 20;
constexpr std::size_t kMaxRows = 1000;
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

CellResult result_of(const JsonValue& value, const Cell& cell, Device device) {
  CellResult result;
  result.cell = cell;
  result.device = device;
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
  return result;
}

// A cell whose problem or marks have changed since is another one.
bool is_same(const Json& earlier, const CellResult& now) {
  const Json fresh = json_of(now);
  return std::ranges::all_of(
      std::initializer_list<const char*>{"cell", "device", "problem", "warm", "threads"},
      [&](const char* field) { return earlier.contains(field) && earlier[field] == fresh[field]; });
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
  std::vector<CellResult> kept;
  if (top.field("xpose").text() != version()) return kept;
  top.field("setup");
  if (json["setup"] != Json::parse(text_of(json_of(setup)))) return kept;
  const std::vector<JsonValue> cells = top.field("cells").items(kMaxRows);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].field("skipped");
    if (const Json& earlier = json["cells"][i]; earlier["skipped"].is_null())
      for (const auto& [device, cell] : table)
        if (is_same(earlier, skipped_cell(cell, device, "not measured yet")))
          kept.push_back(result_of(cells[i], cell, device));
  }
  return kept;
}

}  // namespace xpose::app
