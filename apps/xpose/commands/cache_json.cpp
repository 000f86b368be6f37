#include "commands/cache_json.hpp"

#include <xpose/plugin.h>

#include <limits>
#include <map>
#include <string>

#include "output/json_reader.hpp"

namespace xpose::app {
namespace {

constexpr std::string_view kSchema = "xpose.cache/1";
constexpr std::size_t kMaxRows = 100'000;
constexpr std::size_t kMaxTrials = 10'000;  // of a decision
constexpr double kMaxFigure = 1e9;          // seconds, and ratios
constexpr std::int64_t kDay = 86400;

Json to_json(const Variant& variant) {
  Json config = Json::object();
  for (const AxisValue& value : variant.config) config[value.axis] = value.value;
  return {{"strategy", variant.strategy}, {"config", config}};
}

Json to_json(const CacheKey& key) {
  return {{"device", key.device},   {"driver", key.driver},   {"abi", key.abi},
          {"plugins", key.plugins}, {"problem", key.problem}, {"policy", key.policy}};
}

Json to_json(const CachedTrial& trial) {
  return {{"digest", trial.digest},        {"variant", to_json(trial.variant)},
          {"role", to_string(trial.role)}, {"verdict", to_string(trial.verdict)},
          {"detail", trial.detail},        {"seconds", trial.seconds},
          {"spread", trial.spread},        {"samples", trial.samples},
          {"predicted", trial.predicted}};
}

Json to_json(const Decision& decision) {
  Json json = {{"key", to_json(decision.key)},          {"digest", decision.digest},
               {"winner", to_json(decision.winner)},    {"margin", decision.margin},
               {"roof_seconds", decision.roof_seconds}, {"when", decision.when},
               {"untried", decision.untried},           {"improvements", decision.improvements},
               {"stand_in", decision.stand_in},         {"trials", Json::array()}};
  for (const CachedTrial& trial : decision.trials) json["trials"].push_back(to_json(trial));
  return json;
}

Json to_json(const Quarantine& quarantine) {
  return {{"digest", quarantine.digest}, {"strategy", quarantine.strategy},
          {"file", quarantine.file},     {"verdict", to_string(quarantine.verdict)},
          {"words", quarantine.words},   {"since", quarantine.since}};
}

template <class Row, class... More>
std::vector<Row> rows_of(const JsonValue& array, std::size_t max,
                         Row (*row_of)(const JsonValue&, More...), More... more) {
  std::vector<Row> rows;
  for (const JsonValue& item : array.items(max)) rows.push_back(row_of(item, more...));
  return rows;
}

Verdict verdict_of(const JsonValue& value) {
  const std::string name = value.text();
  std::string all;
  for (int i = 0; i <= static_cast<int>(Verdict::load_refused); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (to_string(verdict) == name) return verdict;
    all += (i == 0 ? "" : ", ") + std::string(to_string(verdict));
  }
  value.refuse("a verdict (" + all + ')');
}

// Experiments are never tried.
Role role_of(const JsonValue& value) {
  const std::string name = value.text();
  for (const Role role : {Role::transpose, Role::copy, Role::numeric})
    if (to_string(role) == name) return role;
  value.refuse("\"transpose\", \"copy\" or \"numeric\"");
}

std::int64_t date_of(const JsonValue& value, std::int64_t latest) {
  const std::int64_t date = value.whole(0, std::numeric_limits<std::int64_t>::max());
  if (date > latest)
    value.refuse("seconds since 1970, not in the future (the clock of one machine is wrong)");
  return date;
}

Variant variant_of(const JsonValue& value) {
  using Limits = std::numeric_limits<std::int64_t>;
  Variant variant{.strategy = value.field("strategy").name(), .config = {}};
  for (const auto& [axis, number] : value.field("config").fields(XPOSE_MAX_AXES))
    variant.config.push_back({axis, number.whole(Limits::min(), Limits::max())});
  return variant;
}

CacheKey key_of(const JsonValue& value) {
  return {.device = value.field("device").name(),
          .driver = value.field("driver").text(),
          .abi = value.field("abi").name(),
          .plugins = value.field("plugins").text(),
          .problem = value.field("problem").name(),
          .policy = value.field("policy").text()};
}

CachedTrial trial_of(const JsonValue& value) {
  return {
      .digest = value.field("digest").name(),
      .variant = variant_of(value.field("variant")),
      .role = role_of(value.field("role")),
      .verdict = verdict_of(value.field("verdict")),
      .detail = value.field("detail").text(),
      .seconds = value.field("seconds").number(0, kMaxFigure),
      .spread = value.field("spread").number(0, kMaxFigure),
      .samples = static_cast<int>(value.field("samples").whole(0, std::numeric_limits<int>::max())),
      .predicted = value.has("predicted") ? value.field("predicted").number(0, kMaxFigure) : 0};
}

// Exports of before these fields lack them.
std::int64_t count_of(const JsonValue& value, const char* name) {
  return value.has(name) ? value.field(name).whole(0, kMaxTrials) : 0;
}

Decision decision_of(const JsonValue& value, std::int64_t latest) {
  return {.key = key_of(value.field("key")),
          .digest = value.field("digest").name(),
          .winner = variant_of(value.field("winner")),
          .margin = value.field("margin").number(-1, kMaxFigure),
          .roof_seconds = value.field("roof_seconds").number(0, kMaxFigure),
          .when = date_of(value.field("when"), latest),
          .trials = rows_of(value.field("trials"), kMaxTrials, trial_of),
          .untried = count_of(value, "untried"),
          .improvements = count_of(value, "improvements"),
          .imported = true,
          .stand_in = value.has("stand_in") ? value.field("stand_in").text() : ""};
}

Quarantine quarantine_of(const JsonValue& value, std::int64_t latest) {
  const Verdict verdict = verdict_of(value.field("verdict"));
  if (verdict == Verdict::ok) value.field("verdict").refuse("a verdict other than ok");
  return {.digest = value.field("digest").name(),
          .strategy = value.field("strategy").name(),
          .file = value.field("file").text(),
          .verdict = verdict,
          .words = value.field("words").text(),
          .since = date_of(value.field("since"), latest)};
}

// Which of two decisions for one key would count is nobody's to guess.
void check_keys(const JsonValue& array, const std::vector<Decision>& decisions) {
  std::map<std::string, std::size_t> places;  // by the key's document
  const std::vector<JsonValue> items = array.items(kMaxRows);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const auto [other, is_new] = places.emplace(to_json(decisions[i].key).dump(), i);
    if (!is_new)
      items[i].field("key").refuse("a key of its own",
                                   "that of /decisions/" + std::to_string(other->second));
  }
}

void check_schema(const JsonValue& schema) {
  const std::string name = schema.text();
  if (name == kSchema) return;
  schema.refuse(name.starts_with("xpose.cache/")
                    ? "\"xpose.cache/1\" (export again with a version of xpose that writes it, or "
                      "import with the one that exported)"
                    : "\"xpose.cache/1\", a document of `xpose cache export`");
}

}  // namespace

Json to_json(const CacheContents& contents) {
  Json json = {{"schema", kSchema},
               {"xpose", version()},
               {"decisions", Json::array()},
               {"quarantine", Json::array()}};
  for (const Decision& decision : contents.decisions)
    json["decisions"].push_back(to_json(decision));
  for (const Quarantine& quarantine : contents.quarantine)
    json["quarantine"].push_back(to_json(quarantine));
  return json;
}

CacheContents cache_from_json(std::string_view document, std::int64_t now) {
  const Json json = parse_json(document, kMaxCacheDocument);
  const JsonValue top(json);
  check_schema(top.field("schema"));
  const std::int64_t latest = now + kDay;
  const JsonValue decisions = top.field("decisions");
  CacheContents contents{
      .decisions = rows_of(decisions, kMaxRows, decision_of, latest),
      .quarantine = rows_of(top.field("quarantine"), kMaxRows, quarantine_of, latest)};
  check_keys(decisions, contents.decisions);
  return contents;
}

}  // namespace xpose::app
