// The memory between processes: rows in a database of the user, above a read-only one of
// the system. A fault of the cache is a miss with one warning; it never fails a transpose.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "xpose/cache.hpp"

namespace xpose {

// Says once what stopped working. [the calling thread]
using Warn = std::function<void(std::string_view)>;

// A file as stat sees it: while this is unchanged, so is its content.
struct FileIdentity {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t changed = 0;   // likewise, of the inode
  bool operator==(const FileIdentity&) const = default;
};

// A trial whose end nobody recorded: the machine went down while it ran.
struct Unfinished {
  std::string digest;
  std::string strategy;
  std::string what;  // "smem{tile=64} on 4096x4096 of 4 bytes on cuda:0"
  std::int64_t since = 0;
};

// The worth of the figures of a strategy's quote on one problem, measured by this machine.
struct Prediction {
  std::string digest;  // of the plugin's file
  std::string strategy;
  std::string problem;  // as in CacheKey
  std::string policy;
  double predicted = 0;  // time over the roof's
  double measured = 0;   // likewise
  double error = 0;      // measured over predicted, see trust.hpp
  std::int64_t when = 0;
};

// No function throws. [any thread]
class Cache {
 public:
  // Opens or creates `user` (empty: memory only) and reads `system` where it exists. Falls from WAL
  // to a rollback journal and from there to memory; moves a corrupt file aside to FILE.corrupt-N;
  // leaves a file of a newer schema alone and works in memory. Each such step is one warning; so is
  // memory for want of a name, unless `system` is empty too.
  Cache(const std::filesystem::path& user, const std::filesystem::path& system, Warn warn);
  ~Cache();
  Cache(const Cache&) = delete;  // owns connections
  Cache& operator=(const Cache&) = delete;

  std::filesystem::path file() const;  // empty: memory

  // The newest decision for a key, without its trials.
  std::optional<Decision> find(const CacheKey& key);
  // The decision for a key, or else the newest for its problem, policy and device, whatever plugins
  // and driver it was made with. With its trials.
  std::optional<Decision> find_standing(const CacheKey& key);
  void store(const Decision& decision);  // decision and trials in one transaction

  // Of a strategy's last problems, in no order.
  std::vector<double> find_errors(std::string_view digest, std::string_view strategy);
  void store(const std::vector<Prediction>& predictions);

  std::optional<Quarantine> find_quarantine(std::string_view digest, std::string_view strategy);
  void store(const Quarantine& quarantine);

  // A plugin that a worker has loaded and described: its description, in the protocol's form.
  std::optional<std::string> find_description(std::string_view digest, std::string_view abi);
  void store_description(std::string_view digest, std::string_view abi,
                         std::string_view description);

  // The digest that a file had when it was last read. Not stored for a file that changed within the
  // last two seconds: it may change again without its times showing it.
  std::optional<std::string> find_digest(const FileIdentity& file);
  void store_digest(const FileIdentity& file, std::string_view digest);

  // Around each trial, by this process. The first trial of a (digest, strategy) that has none
  // recorded yet reaches the disk before begin_trial returns.
  void begin_trial(const Unfinished& trial);
  void end_trial();

  // Trials that a machine crash left behind (another boot's), removed from the table; those of
  // processes of this boot that are gone are dropped silently: they were killed, which proves
  // nothing.
  std::vector<Unfinished> take_unfinished();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xpose
