// The rows of a cache file: the schema, and each kind's way in and out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/cache.hpp"
#include "cache/database.hpp"

namespace xpose {

constexpr std::int32_t kCacheApplication = 0x78706f73;  // "xpos", so that a file says whose it is
extern const std::array<const char*, 3> kCacheSchema;   // steps for Database::adopt

// Every function throws DatabaseError. Those that change rows belong into Database::write, so that
// a thing is there as a whole or not at all; read_rows into Database::read.

std::optional<Decision> find_decision(Database& database, const CacheKey& key);  // without trials
// As Cache::find_standing.
std::optional<Decision> find_standing(Database& database, const CacheKey& key);
std::vector<Decision> read_decisions(Database& database);  // all, oldest first
void replace_decision(Database& database, const Decision& decision);

constexpr int kPredictionsKept = 9;  // of each strategy: the newest
std::optional<std::vector<double>> find_errors(Database& database, std::string_view digest,
                                               std::string_view strategy);
void replace_prediction(Database& database, const Prediction& prediction);

std::optional<Quarantine> find_quarantine(Database& database, std::string_view digest,
                                          std::string_view strategy);
void replace_quarantine(Database& database, const Quarantine& quarantine);

std::optional<std::string> find_description(Database& database, std::string_view digest,
                                            std::string_view abi);
void replace_description(Database& database, std::string_view digest, std::string_view abi,
                         std::string_view description);

std::optional<std::string> find_digest(Database& database, const FileIdentity& file);
void replace_digest(Database& database, const FileIdentity& file, std::string_view digest);

// Whether a decision has a trial of the strategy.
bool has_trial(Database& database, std::string_view digest, std::string_view strategy);

// All decisions and the quarantine, oldest first. A row that says what this version does not know
// is left out.
CacheContents read_rows(Database& database);
std::size_t merge_rows(Database& database, const CacheContents& contents);
std::size_t remove_rows(Database& database, const CacheFilter& filter);

}  // namespace xpose
