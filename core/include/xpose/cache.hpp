// What xpose remembers between processes, for the command and for tools: decisions with the trials
// behind them, strategies in quarantine, and trials that were never finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <xpose/xpose.hpp>

namespace xpose {

// What a decision depends on. All must be equal for it to be used.
struct CacheKey {
  std::string device;   // class of device: "NVIDIA H200, cc 9.0, 132 multiprocessors"
  std::string driver;   // "580.159.04"; host: ""
  std::string abi;      // plugin ABI, "1.1"
  std::string plugins;  // digest over the digests of all plugins that could be chosen
  std::string problem;  // key of the normal form
  std::string policy;   // "measure cold threads=2"
  bool operator==(const CacheKey&) const = default;
};

// One variant on the key's problem.
struct CachedTrial {
  std::string digest;  // of the plugin's file
  Variant variant;
  bool is_copy = false;
  Verdict verdict = Verdict::ok;
  std::string detail;
  double seconds = 0;  // median of one call; 0: not timed
  double spread = 0;
  int samples = 0;
  double predicted = 0;  // time over the roof's, by the figures of its quote; 0: not predicted
  bool operator==(const CachedTrial&) const = default;
};

struct Decision {
  CacheKey key;
  std::string digest;  // of the winner's plugin file
  Variant winner;
  double margin = 0;        // as in TuneReport
  double roof_seconds = 0;  // 0: no copy was timed
  std::int64_t when = 0;    // seconds since 1970
  std::vector<CachedTrial> trials = {};
  // Strategies that may be faster, and that the budget did not reach. Not 0: the decision is
  // provisional, and the next plan() or tune() that measures tries these.
  std::int64_t untried = 0;
  std::int64_t improvements = 0;  // how often that was done
  bool imported = false;          // not used before its winner was verified here
  std::string stand_in = {};      // key of the problem that trials ran on; empty: the key's own
  bool operator==(const Decision&) const = default;
};

// A strategy that ended badly twice, the second time alone. Not tried again while its plugin's file
// has this digest.
struct Quarantine {
  std::string digest;
  std::string strategy;
  std::string file;  // name of the plugin's file, for people
  Verdict verdict = Verdict::crashed;
  std::string words;  // what was seen, with the plugin's last words
  std::int64_t since = 0;
  bool operator==(const Quarantine&) const = default;
};

struct CacheContents {
  std::vector<Decision> decisions;
  std::vector<Quarantine> quarantine;
  bool operator==(const CacheContents&) const = default;
};

// Which rows: all fields that are not empty must match.
struct CacheFilter {
  std::string strategy;  // decisions whose winner it is, and its quarantine
  std::string problem;   // decisions for problems whose key, or problem_text(), contains this text
  bool only_quarantine = false;
};

// The problem of a key for people, "4096x4096 of 4 bytes on cuda"; the key where it is of another
// form.
XPOSE_API std::string problem_text(const std::string& key);

// $XPOSE_CACHE, else xpose/trials.sqlite in $XDG_CACHE_HOME or ~/.cache; empty where there is no
// home. The environment is ignored in a privileged process.
XPOSE_API std::filesystem::path default_cache_file();
// Read under the user's where it exists: /var/lib/xpose/trials.sqlite.
XPOSE_API std::filesystem::path system_cache_file();

// All rows of a cache file. Throws Error failed where it is missing, corrupt or of a newer schema.
XPOSE_API CacheContents read_cache(const std::filesystem::path& file);
// Adds rows, in one transaction; of two decisions with one key the newer stays. Creates the file.
// Returns the number of rows that were new or newer. Throws Error failed, and then nothing changed.
XPOSE_API std::size_t merge_into_cache(const std::filesystem::path& file,
                                       const CacheContents& contents);
// Removes rows; returns how many. Throws Error failed.
XPOSE_API std::size_t forget(const std::filesystem::path& file, const CacheFilter& filter);

}  // namespace xpose
