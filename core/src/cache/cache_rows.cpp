#include "cache/cache_rows.hpp"

#include <bit>
#include <utility>

#include "text/names.hpp"

namespace xpose {
namespace {

// Times are in columns of type ANY: one of type REAL turns -0 into 0.
constexpr const char* kFirstSchema = R"(
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

// Decisions that are not final, that another machine or problem made, and what predictions proved
// worth.
constexpr const char* kSecondSchema = R"(
ALTER TABLE decision ADD COLUMN untried INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision ADD COLUMN improvements INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision ADD COLUMN stand_in TEXT NOT NULL DEFAULT '';
ALTER TABLE trial ADD COLUMN predicted ANY NOT NULL DEFAULT 0;
CREATE TABLE prediction(
  digest TEXT NOT NULL, strategy TEXT NOT NULL, problem TEXT NOT NULL, policy TEXT NOT NULL,
  predicted ANY, measured ANY, error ANY, since INTEGER NOT NULL,
  PRIMARY KEY(digest, strategy, problem, policy)) STRICT, WITHOUT ROWID;
)";

// Roles as cards have them.
constexpr const char* kThirdSchema = R"(
ALTER TABLE trial ADD COLUMN role TEXT NOT NULL DEFAULT 'transpose';
UPDATE trial SET role = 'copy' WHERE is_copy <> 0;
ALTER TABLE trial DROP COLUMN is_copy;
)";

// The columns of a quarantine: digest, strategy, file, verdict, words, since.
std::optional<Quarantine> read_quarantine(const Statement& row) {
  const auto verdict = parse_verdict(row.text(3));
  if (!verdict) return {};
  return Quarantine{row.text(0), one_line(row.text(1)), one_line(row.text(2)),
                    *verdict,    one_line(row.text(4)), row.integer(5)};
}

// When that row was stored; nothing is older than any time.
std::optional<std::int64_t> stored(Database& database, const Quarantine& quarantine) {
  Statement row = database.run("SELECT since FROM quarantine WHERE digest = ? AND strategy = ?",
                               {quarantine.digest, quarantine.strategy});
  return row.step() ? std::optional(row.integer(0)) : std::nullopt;
}

}  // namespace

const std::array<const char*, 3> kCacheSchema = {kFirstSchema, kSecondSchema, kThirdSchema};

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

// ----------------------------------------------------------------------------------- predictions

std::optional<std::vector<double>> find_errors(Database& database, std::string_view digest,
                                               std::string_view strategy) {
  std::vector<double> errors;
  Statement row = database.run("SELECT error FROM prediction WHERE digest = ? AND strategy = ?",
                               {digest, strategy});
  while (row.step()) errors.push_back(row.real(0));
  return errors.empty() ? std::nullopt : std::optional(std::move(errors));
}

void replace_prediction(Database& database, const Prediction& prediction) {
  database.change("INSERT OR REPLACE INTO prediction VALUES(?,?,?,?,?,?,?,?)",
                  {prediction.digest, prediction.strategy, prediction.problem, prediction.policy,
                   prediction.predicted, prediction.measured, prediction.error, prediction.when});
  database.change(
      "DELETE FROM prediction WHERE digest = ?1 AND strategy = ?2 AND (problem, policy) NOT IN "
      "(SELECT problem, policy FROM prediction WHERE digest = ?1 AND strategy = ?2 "
      "ORDER BY since DESC LIMIT ?3)",
      {prediction.digest, prediction.strategy, std::int64_t{kPredictionsKept}});
}

// ------------------------------------------------------------------------------------- all of it

CacheContents read_rows(Database& database) {
  CacheContents contents;
  contents.decisions = read_decisions(database);
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
  for (const Decision& decision : contents.decisions) {
    const std::optional<Decision> standing = find_decision(database, decision.key);
    // A measurement of this machine counts for more than a later one of another.
    if (standing && decision.imported && !standing->imported) continue;
    if (standing && standing->when >= decision.when) continue;
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

namespace {

// Keys of decisions.
std::vector<std::string> matching_problems(Database& database, const CacheFilter& filter) {
  std::vector<std::string> problems;
  if (filter.only_quarantine) return problems;
  Statement row = database.run("SELECT DISTINCT problem FROM decision");
  while (row.step())
    if (const std::string problem = row.text(0);
        problem.find(filter.problem) != std::string::npos ||
        problem_text(problem).find(filter.problem) != std::string::npos)
      problems.push_back(problem);
  return problems;
}

}  // namespace

std::size_t remove_rows(Database& database, const CacheFilter& filter) {
  std::size_t removed = 0;
  for (const std::string& problem : matching_problems(database, filter))
    removed += database.change("DELETE FROM decision WHERE ?1 IN ('', strategy) AND problem = ?2",
                               {filter.strategy, problem});
  if (filter.problem.empty())  // a quarantine holds for every problem
    removed +=
        database.change("DELETE FROM quarantine WHERE ?1 IN ('', strategy)", {filter.strategy});
  if (!filter.only_quarantine && filter.problem.empty())  // as if it had never been tried
    database.change("DELETE FROM prediction WHERE ?1 IN ('', strategy)", {filter.strategy});
  if (!filter.only_quarantine && filter.strategy.empty() && filter.problem.empty()) {
    database.change("DELETE FROM description");  // everything: what was learned of files as well
    database.change("DELETE FROM file");
  }
  return removed;
}

}  // namespace xpose
