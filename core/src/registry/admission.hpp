// Which plugin files may be used: described by a worker first, and loaded into this process only
// with the content that was.
#pragma once

#include <map>
#include <string>

#include "cache/cache.hpp"
#include "plugin/plugin_library.hpp"
#include "worker/worker.hpp"

namespace xpose {

// [one thread at a time]
class Admission {
 public:
  // `in_process`: no worker; what is described is loaded here.
  Admission(Worker& worker, Cache& cache, Warn warn, bool in_process);

  bool in_process() const { return in_process_; }

  // A file's offer: by `shipped`, or where that is null by the cache or the worker.
  // A file that ends the worker twice is put in quarantine as a whole. Throws Refusal; Error failed
  // where there is no worker.
  PluginInfo describe(const std::filesystem::path& file, const std::string& digest,
                      const PluginInfo* shipped = nullptr);

  // Loads a file into this process that was described before. Throws Refusal, also where its
  // content is no longer that of the digest: it is read again where the file is not as it was.
  const PluginLibrary& load(const std::filesystem::path& file, const std::string& digest);

 private:
  struct Loaded {
    FileIdentity file;
    const PluginLibrary* library = nullptr;
  };

  PluginInfo ask_worker(const std::filesystem::path& file, const std::string& digest);

  Worker& worker_;
  Cache& cache_;
  Warn warn_;
  bool in_process_;
  std::map<std::string, Loaded> loaded_;  // by digest
};

}  // namespace xpose
