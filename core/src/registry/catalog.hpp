// The strategies found in plugin folders.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "registry/admission.hpp"

namespace xpose {

struct Catalog {
  std::vector<PluginInfo> plugins;          // used and refused, by folder and then by file name
  std::string digest;                       // over all files that are not refused by the rules
  std::vector<const Strategy*> strategies;  // of the plugins in use; names are unique
  std::deque<Strategy> described;           // those that are not loaded here
  bool is_described = false;                // false: plugins have only files, digests and refusals
  // By digest: what lies beside plugins and was believed, the digest included.
  std::map<std::string, PluginInfo> shipped;

  // The plugin file of a digest, or null.
  const PluginInfo* find(const std::string& digest) const;
  const PluginInfo* find_shipped(const std::string& digest) const;
  // The strategy of a name. Throws Error no_strategy where no plugin in use offers it.
  const Strategy& strategy(const std::string& name) const;
};

// "; the nearest name is 'x'", or "" where no strategy has a similar name.
std::string strategy_hint(const Catalog& catalog, const std::string& name);

// Error no_strategy: no loaded plugin offers it, "a strategy 'x'"; where none is loaded, with the
// reason.
Error not_offered(const Catalog& catalog, const std::string& it);

// Why a file with a digest cannot be loaded into this process.
using Unloadable = std::map<std::string, std::string>;

// Whether the descriptions beside the plugins are taken for what is in these.
enum class Shipped { ignored, believed };

// Finds the plugin files of the folders, in order, without running any. A refused file is
// listed with the reason, a folder that cannot be read likewise.
Catalog scan(std::span<const std::filesystem::path> folders, Cache& cache,
             const Unloadable& unloadable = {}, Shipped shipped = Shipped::ignored);

// Adds one file, as scan() does.
void add_file(Catalog& catalog, const std::filesystem::path& file, Cache& cache);

// Fills in what the plugins offer. Throws Error failed where there is no worker to ask.
void describe(Catalog& catalog, Admission& admission);

}  // namespace xpose
