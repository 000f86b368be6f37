// The memory of xpose between processes, for the command and for tools: decisions with the trials
// behind them, and strategies in quarantine. Callers who only transpose do not need it.
//
//   const auto file = xpose::default_cache_file();
//   for (const xpose::Decision& one : xpose::read_cache(file).decisions)
//     std::cout << xpose::problem_text(one.key.problem) << ": " << to_string(one.winner) << '\n';
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <xpose/xpose.hpp>

namespace xpose {

// The circumstances of a decision. It is used only where all of them are equal.
struct CacheKey {
  std::string device;   // class of device: "NAME, cc 9.0, 132 multiprocessors"
  std::string driver;   // CUDA: the driver's version; host: ""
  std::string abi;      // plugin ABI: "2.0"
  std::string plugins;  // digest over the digests of all plugins that could be chosen
  std::string problem;  // key of the normal form, see problem_text()
  std::string policy;   // "measure cold threads=2"
  bool operator==(const CacheKey&) const = default;
};

// A trial of a decision: one variant on the key's problem, or on the decision's stand-in.
struct CachedTrial {
  std::string digest;             // of the plugin's file
  Variant variant;                // that was tried
  Role role = Role::transpose;    // of its strategy
  Verdict verdict = Verdict::ok;  // how the trial ended
  std::string detail;             // one line, as Trial::detail
  double seconds = 0;             // of one call, median; 0: not timed
  double spread = 0;              // interquartile range over the median
  int samples = 0;                // behind the median
  double predicted = 0;           // time over the roof's, by the quote's figures; 0: not predicted
  bool operator==(const CachedTrial&) const = default;
};

// A choice that was measured, with the trials behind it.
struct Decision {
  CacheKey key;                          // its circumstances
  std::string digest;                    // of the winner's plugin file
  Variant winner;                        // the variant that is kept
  double margin = 0;                     // runner-up's time / winner's time - 1
  double roof_seconds = 0;               // of one call of the fastest copy; 0: no copy was timed
  std::int64_t when = 0;                 // seconds since 1970
  std::vector<CachedTrial> trials = {};  // the winner's and its rivals'
  // The number of strategies that may be faster and that the budget did not reach. Above 0 the
  // decision is provisional: the next engine that measures the problem tries them.
  std::int64_t untried = 0;
  std::int64_t improvements = 0;  // how often an engine has tried them
  bool imported = false;          // from another machine: verified here before its first use
  std::string stand_in = {};      // key of the problem that trials ran on; empty: the key's own
  bool operator==(const Decision&) const = default;
};

// A strategy that ended badly twice, the second time alone in a worker. It is not tried again while
// its plugin's file has this digest.
struct Quarantine {
  std::string digest;                  // of the plugin's file
  std::string strategy;                // empty: the whole file, which could not be described
  std::string file;                    // name of the plugin's file, for people
  Verdict verdict = Verdict::crashed;  // of both ends
  std::string words;                   // one line: the end, and the plugin's last words
  std::int64_t since = 0;              // seconds since 1970
  bool operator==(const Quarantine&) const = default;
};

// All rows of a cache file that tools read and write, oldest first.
struct CacheContents {
  std::vector<Decision> decisions;     // one a key
  std::vector<Quarantine> quarantine;  // one a plugin and strategy
  bool operator==(const CacheContents&) const = default;
};

// A choice of rows. A row must match every field that is not empty; an empty filter matches all.
struct CacheFilter {
  std::string strategy;          // decisions that it won, and its quarantine
  std::string problem;           // decisions whose problem's key or problem_text() has this text
  bool only_quarantine = false;  // no decisions
};

// The problem of a key for people: "4096x4096 of 4 bytes on cuda". The key itself where it is of an
// unknown form. [any thread]
XPOSE_API std::string problem_text(const std::string& key);

// The user's cache file: $XPOSE_CACHE, else xpose/trials.sqlite in $XDG_CACHE_HOME or ~/.cache.
// Empty where there is no home. A privileged process ignores the environment. [any thread]
XPOSE_API std::filesystem::path default_cache_file();
// The system's cache file, /var/lib/xpose/trials.sqlite, whether it exists or not. It is only read,
// where the user's has no answer.
XPOSE_API std::filesystem::path system_cache_file();

// All rows of a cache file, except for rows of kinds that this version does not know. Throws Error
// failed where the file is missing, corrupt, of another program or of a newer schema. [any thread]
XPOSE_API CacheContents read_cache(const std::filesystem::path& file);
// Adds rows to a cache file in one transaction, and creates the file where it is missing. Of two
// decisions with one key the newer stays. Returns the number of rows that were new or newer. Throws
// Error failed, and then nothing has changed. [any thread]
XPOSE_API std::size_t merge_into_cache(const std::filesystem::path& file,
                                       const CacheContents& contents);
// The knowledge of classes of devices, to be installed with a library.
struct Table {
  std::string json;         // the document "xpose.table/1": indented, ASCII
  std::size_t rows = 0;     // one a class of devices, problem, and cold or warm caches
  std::size_t unknown = 0;  // decisions of which no plugin here has a trial that was right
};
// The table of a cache's decisions. A row names up to three variants, the fastest of a strategy
// each, by name and version of their plugin, so that another build of that version is meant as
// well. `plugins`: those of the engine that measured. `note`: what produced it, for people. [any
// thread]
XPOSE_API Table table_of(const CacheContents& contents, const std::vector<PluginInfo>& plugins,
                         const std::string& note);

// Removes the rows that match and returns their number. Throws Error failed where the file is
// missing or cannot be written. [any thread]
XPOSE_API std::size_t forget(const std::filesystem::path& file, const CacheFilter& filter);

}  // namespace xpose
