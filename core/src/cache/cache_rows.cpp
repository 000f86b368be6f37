#include "cache/cache_rows.hpp"

#include <bit>
#include <charconv>
#include <utility>

#include "names.hpp"

namespace xpose {
namespace {

// Times are in columns of type ANY: one of type REAL turns -0 into 0.
constexpr const char* first_schema = R"(
CREATE TABLE decision(
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL, driver TEXT NOT NULL, abi TEXT NOT NULL, plugins TEXT NOT NULL,
  problem TEXT NOT NULL, policy TEXT NOT NULL,
  digest TEXT NOT NULL, strategy TEXT NOT NULL, config TEXT NOT NULL,
  margin ANY, roof_seconds ANY, since INTEGER NOT NULL,
  UNIQUE(problem, policy, device, driver, abi, plugins)) STRICT;
CREATE TABLE trial(
  decision INTEGER NOT NULL REFERENCES decision(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  digest TEXT NOT NULL, strategy TEXT NOT NULL, config TEXT NOT NULL, is_copy INTEGER NOT NULL,
  verdict TEXT NOT NULL, detail TEXT NOT NULL, seconds ANY, spread ANY, samples INTEGER NOT NULL,
  PRIMARY KEY(decision, place)) STRICT, WITHOUT ROWID;
CREATE INDEX trial_of ON trial(digest, strategy);
CREATE TABLE quarantine(
  digest TEXT NOT NULL, strategy TEXT NOT NULL, file TEXT NOT NULL, verdict TEXT NOT NULL,
  words TEXT NOT NULL, since INTEGER NOT NULL,
  PRIMARY KEY(digest, strategy)) STRICT, WITHOUT ROWID;
CREATE TABLE description(
  digest TEXT NOT NULL, abi TEXT NOT NULL, description TEXT NOT NULL,
  PRIMARY KEY(digest, abi)) STRICT, WITHOUT ROWID;
CREATE TABLE file(
  path TEXT PRIMARY KEY, device INTEGER NOT NULL, inode INTEGER NOT NULL, bytes INTEGER NOT NULL,
  modified INTEGER NOT NULL, changed INTEGER NOT NULL, digest TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE in_flight(
  machine TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, started INTEGER NOT NULL,
  digest TEXT NOT NULL, strategy TEXT NOT NULL, what TEXT NOT NULL, since INTEGER NOT NULL,
  PRIMARY KEY(machine, boot, pid, started)) STRICT, WITHOUT ROWID;
)";

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
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, value.value);
    if (error != std::errc() || (rest != end && (*rest != ',' || rest + 1 == end))) return {};
    text = rest == end ? std::string_view() : std::string_view(rest + 1, end);
  }
  return config;
}

// The columns of a decision from `column` on: digest, strategy, config, margin, roof_seconds,
// since.
std::optional<Decision> read_decision(const Statement& row, int column, CacheKey key) {
  auto config = parse_config(row.text(column + 2));
  if (!config) return {};
  return Decision{std::move(key),
                  row.text(column),
                  {row.text(column + 1), std::move(*config)},
                  row.real(column + 3),
                  row.real(column + 4),
                  row.integer(column + 5),
                  {}};
}

std::vector<CachedTrial> read_trials(Database& database, std::int64_t decision) {
  std::vector<CachedTrial> trials;
  Statement row = database.run(
      "SELECT digest, strategy, config, is_copy, verdict, detail, seconds, spread, samples "
      "FROM trial WHERE decision = ? ORDER BY place",
      {decision});
  while (row.step()) {
    auto config = parse_config(row.text(2));
    const auto verdict = parse_verdict(row.text(4));
    if (config && verdict)
      trials.push_back({row.text(0),
                        {row.text(1), std::move(*config)},
                        row.integer(3) != 0,
                        *verdict,
                        row.text(5),
                        row.real(6),
                        row.real(7),
                        static_cast<int>(row.integer(8))});
  }
  return trials;
}

// The columns of a quarantine: digest, strategy, file, verdict, words, since.
std::optional<Quarantine> read_quarantine(const Statement& row) {
  const auto verdict = parse_verdict(row.text(3));
  if (!verdict) return {};
  return Quarantine{row.text(0), row.text(1), row.text(2), *verdict, row.text(4), row.integer(5)};
}

// When a row of that key was stored; nothing is older than any time.
std::optional<std::int64_t> stored(Database& database, const CacheKey& key) {
  Statement row = database.run(
      "SELECT since FROM decision WHERE problem = ? AND policy = ? AND device = ? AND driver = ? "
      "AND abi = ? AND plugins = ?",
      {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  return row.step() ? std::optional(row.integer(0)) : std::nullopt;
}

std::optional<std::int64_t> stored(Database& database, const Quarantine& quarantine) {
  Statement row = database.run("SELECT since FROM quarantine WHERE digest = ? AND strategy = ?",
                               {quarantine.digest, quarantine.strategy});
  return row.step() ? std::optional(row.integer(0)) : std::nullopt;
}

}  // namespace

const std::array<const char*, 1> cache_schema = {first_schema};

// ------------------------------------------------------------------------------------- decisions

std::optional<Decision> find_decision(Database& database, const CacheKey& key) {
  Statement row = database.run(
      "SELECT digest, strategy, config, margin, roof_seconds, since FROM decision "
      "WHERE problem = ? AND policy = ? AND device = ? AND driver = ? AND abi = ? AND plugins = ?",
      {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  return row.step() ? read_decision(row, 0, key) : std::nullopt;
}

void replace_decision(Database& database, const Decision& decision) {
  const CacheKey& key = decision.key;
  database.change(
      "DELETE FROM decision WHERE problem = ? AND policy = ? AND device = ? AND driver = ? "
      "AND abi = ? AND plugins = ?",
      {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins});
  std::int64_t id = 0;
  {
    Statement row = database.run(
        "INSERT INTO decision(problem, policy, device, driver, abi, plugins, digest, strategy, "
        "config, margin, roof_seconds, since) VALUES(?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id",
        {key.problem, key.policy, key.device, key.driver, key.abi, key.plugins, decision.digest,
         decision.winner.strategy, config_text(decision.winner.config), decision.margin,
         decision.roof_seconds, decision.when});
    row.step();
    id = row.integer(0);
    row.step();
  }
  std::int64_t place = 0;
  for (const CachedTrial& trial : decision.trials)
    database.change(
        "INSERT INTO trial VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        {id, place++, trial.digest, trial.variant.strategy, config_text(trial.variant.config),
         std::int64_t{trial.is_copy}, to_string(trial.verdict), trial.detail, trial.seconds,
         trial.spread, std::int64_t{trial.samples}});
}

bool has_trial(Database& database, std::string_view digest, std::string_view strategy) {
  return database
      .run("SELECT 1 FROM trial WHERE digest = ? AND strategy = ? LIMIT 1", {digest, strategy})
      .step();
}

// ---------------------------------------------------------------------------------------- others

std::optional<Quarantine> find_quarantine(Database& database, std::string_view digest,
                                          std::string_view strategy) {
  Statement row = database.run(
      "SELECT digest, strategy, file, verdict, words, since FROM quarantine "
      "WHERE digest = ? AND strategy = ?",
      {digest, strategy});
  return row.step() ? read_quarantine(row) : std::nullopt;
}

void replace_quarantine(Database& database, const Quarantine& quarantine) {
  database.change(
      "INSERT OR REPLACE INTO quarantine(digest, strategy, file, verdict, words, since) "
      "VALUES(?,?,?,?,?,?)",
      {quarantine.digest, quarantine.strategy, quarantine.file, to_string(quarantine.verdict),
       quarantine.words, quarantine.since});
}

std::optional<std::string> find_description(Database& database, std::string_view digest,
                                            std::string_view abi) {
  Statement row = database.run("SELECT description FROM description WHERE digest = ? AND abi = ?",
                               {digest, abi});
  return row.step() ? std::optional(row.text(0)) : std::nullopt;
}

void replace_description(Database& database, std::string_view digest, std::string_view abi,
                         std::string_view description) {
  database.change("INSERT OR REPLACE INTO description(digest, abi, description) VALUES(?,?,?)",
                  {digest, abi, description});
}

std::optional<std::string> find_digest(Database& database, const FileIdentity& file) {
  Statement row = database.run(
      "SELECT digest FROM file WHERE path = ? AND device = ? AND inode = ? AND bytes = ? "
      "AND modified = ? AND changed = ?",
      {file.path, std::bit_cast<std::int64_t>(file.device), std::bit_cast<std::int64_t>(file.inode),
       std::bit_cast<std::int64_t>(file.bytes), file.modified, file.changed});
  return row.step() ? std::optional(row.text(0)) : std::nullopt;
}

void replace_digest(Database& database, const FileIdentity& file, std::string_view digest) {
  database.change(
      "INSERT OR REPLACE INTO file(path, device, inode, bytes, modified, changed, digest) "
      "VALUES(?,?,?,?,?,?,?)",
      {file.path, std::bit_cast<std::int64_t>(file.device), std::bit_cast<std::int64_t>(file.inode),
       std::bit_cast<std::int64_t>(file.bytes), file.modified, file.changed, digest});
}

// ------------------------------------------------------------------------------------- all of it

CacheContents read_rows(Database& database) {
  CacheContents contents;
  Statement row = database.run(
      "SELECT id, device, driver, abi, plugins, problem, policy, digest, strategy, config, margin, "
      "roof_seconds, since FROM decision ORDER BY since, id");
  while (row.step()) {
    CacheKey key{row.text(1), row.text(2), row.text(3), row.text(4), row.text(5), row.text(6)};
    if (auto decision = read_decision(row, 7, std::move(key))) {
      decision->trials = read_trials(database, row.integer(0));
      contents.decisions.push_back(std::move(*decision));
    }
  }
  Statement quarantined = database.run(
      "SELECT digest, strategy, file, verdict, words, since FROM quarantine "
      "ORDER BY since, digest, strategy");
  while (quarantined.step())
    if (auto quarantine = read_quarantine(quarantined))
      contents.quarantine.push_back(std::move(*quarantine));
  return contents;
}

std::size_t merge_rows(Database& database, const CacheContents& contents) {
  std::size_t merged = 0;
  for (const Decision& decision : contents.decisions)
    if (stored(database, decision.key) < decision.when) {
      replace_decision(database, decision);
      ++merged;
    }
  for (const Quarantine& quarantine : contents.quarantine)
    if (stored(database, quarantine) < quarantine.since) {
      replace_quarantine(database, quarantine);
      ++merged;
    }
  return merged;
}

std::size_t remove_rows(Database& database, const CacheFilter& filter) {
  std::size_t removed = 0;
  if (!filter.only_quarantine)
    removed += database.change(
        "DELETE FROM decision WHERE ?1 IN ('', strategy) AND (?2 = '' OR instr(problem, ?2) > 0)",
        {filter.strategy, filter.problem});
  if (filter.problem.empty())  // a quarantine holds for every problem
    removed +=
        database.change("DELETE FROM quarantine WHERE ?1 IN ('', strategy)", {filter.strategy});
  if (!filter.only_quarantine && filter.strategy.empty() && filter.problem.empty()) {
    database.change("DELETE FROM description");  // everything: what was learned of files as well
    database.change("DELETE FROM file");
  }
  return removed;
}

}  // namespace xpose
