// The rows of decisions: key, choice and the trials behind it.
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>

#include "cache/cache_rows.hpp"
#include "text/names.hpp"

namespace xpose {
namespace {

// "tile=64,rows=8"; a backslash before what would end a name too soon.
std::string config_text(const Config& config) {
  std::string text;
  for (const AxisValue& value : config) {
    if (!text.empty()) text += ',';
    for (const char c : value.axis) {
      if (c == '=' || c == '\\') text += '\\';
      text += c;
    }
    text += '=' + std::to_string(value.value);
  }
  return text;
}

std::optional<Config> parse_config(std::string_view text) {
  Config config;
  while (!text.empty()) {
    AxisValue& value = config.emplace_back();
    std::size_t at = 0;
    for (; at < text.size() && text[at] != '='; ++at) {
      if (text[at] == '\\' && ++at == text.size()) return {};
      value.axis += text[at];
    }
    if (at == text.size()) return {};
    value.axis = one_line(value.axis);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, value.value);
    if (error != std::errc() || (rest != end && (*rest != ',' || rest + 1 == end))) return {};
    text = rest == end ? std::string_view() : std::string_view(rest + 1, end);
  }
  return config;
}

constexpr std::string_view kKeyColumns = "problem, policy, device, driver, abi, plugins";
constexpr std::string_view kIsOfKey =
    "problem = ? AND policy = ? AND device = ? AND driver = ? AND abi = ? AND plugins = ?";
constexpr std::string_view kChoiceColumns =
    "digest, strategy, config, margin, roof_seconds, since, untried, improvements, imported, "
    "stand_in";

std::string text(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

// From `column` on: the key's columns.
CacheKey read_key(const Statement& row, int column) {
  CacheKey key;
  for (std::string* part :
       {&key.problem, &key.policy, &key.device, &key.driver, &key.abi, &key.plugins})
    *part = one_line(row.text(column++));
  return key;
}

// From `column` on: the choice's columns.
std::optional<Decision> read_choice(const Statement& row, int column, CacheKey key) {
  auto config = parse_config(row.text(column + 2));
  if (!config) return {};
  Decision decision;
  decision.key = std::move(key);
  decision.digest = row.text(column);
  decision.winner = {one_line(row.text(column + 1)), std::move(*config)};
  decision.margin = row.real(column + 3);
  decision.roof_seconds = row.real(column + 4);
  decision.when = row.integer(column + 5);
  decision.untried = row.integer(column + 6);
  decision.improvements = row.integer(column + 7);
  decision.imported = row.integer(column + 8) != 0;
  decision.stand_in = one_line(row.text(column + 9));
  return decision;
}

std::vector<CachedTrial> read_trials(Database& database, std::int64_t decision) {
  std::vector<CachedTrial> trials;
  Statement row = database.run(
      "SELECT digest, strategy, config, role, verdict, detail, seconds, spread, samples, "
      "predicted FROM trial WHERE decision = ? ORDER BY place",
      {decision});
  while (row.step()) {
    auto config = parse_config(row.text(2));
    const auto role = parse_role(row.text(3));
    const auto verdict = parse_verdict(row.text(4));
    if (config && role && verdict)
      trials.push_back({row.text(0),
                        {one_line(row.text(1)), std::move(*config)},
                        *role,
                        *verdict,
                        one_line(row.text(5)),
                        row.real(6),
                        row.real(7),
                        static_cast<int>(row.integer(8)),
                        row.real(9)});
  }
  return trials;
}

// The first row of id, key's columns and choice's columns.
std::optional<Decision> read_whole(Database& database, const Statement& row) {
  auto decision = read_choice(row, 7, read_key(row, 1));
  if (decision) decision->trials = read_trials(database, row.integer(0));
  return decision;
}

}  // namespace

std::optional<Decision> find_decision(Database& database, const CacheKey& key) {
  Statement row =
      database.run(text({"SELECT ", kChoiceColumns, " FROM decision WHERE ", kIsOfKey}),
                   {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  return row.step() ? read_choice(row, 0, key) : std::nullopt;
}

std::optional<Decision> find_standing(Database& database, const CacheKey& key) {
  Statement row = database.run(
      text(
          {"SELECT id, ", kKeyColumns, ", ", kChoiceColumns,
           " FROM decision WHERE problem = ?1 AND policy = ?2 AND device = ?3 ",
           "ORDER BY driver = ?4 AND abi = ?5 AND plugins = ?6 DESC, since DESC, id DESC LIMIT 1"}),
      {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  return row.step() ? read_whole(database, row) : std::nullopt;
}

std::vector<Decision> read_decisions(Database& database) {
  std::vector<Decision> decisions;
  Statement row = database.run(text(
      {"SELECT id, ", kKeyColumns, ", ", kChoiceColumns, " FROM decision ORDER BY since, id"}));
  while (row.step())
    if (auto decision = read_whole(database, row)) decisions.push_back(std::move(*decision));
  return decisions;
}

void replace_decision(Database& database, const Decision& decision) {
  const CacheKey& key = decision.key;
  database.change(text({"DELETE FROM decision WHERE ", kIsOfKey}),
                  {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  std::int64_t id = 0;
  {
    Statement row = database.run(
        text({"INSERT INTO decision(", kKeyColumns, ", ", kChoiceColumns,
              ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id"}),
        {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins, decision.digest,
         decision.winner.strategy, config_text(decision.winner.config), decision.margin,
         decision.roof_seconds, decision.when, decision.untried, decision.improvements,
         std::int64_t{decision.imported}, decision.stand_in});
    row.step();
    id = row.integer(0);
    row.step();
  }
  std::int64_t place = 0;
  for (const CachedTrial& trial : decision.trials)
    database.change(
        "INSERT INTO trial(decision, place, digest, strategy, config, role, verdict, detail, "
        "seconds, "
        "spread, samples, predicted) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        {id, place++, trial.digest, trial.variant.strategy, config_text(trial.variant.config),
         to_string(trial.role), to_string(trial.verdict), trial.detail, trial.seconds, trial.spread,
         std::int64_t{trial.samples}, trial.predicted});
}

bool has_trial(Database& database, std::string_view digest, std::string_view strategy) {
  return database
      .run("SELECT 1 FROM trial WHERE digest = ? AND strategy = ? LIMIT 1", {digest, strategy})
      .step();
}

}  // namespace xpose
