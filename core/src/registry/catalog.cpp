#include "registry/catalog.hpp"

#include <algorithm>

#include "process/environment.hpp"
#include "registry/shipped_description.hpp"
#include "xpose/detail/name_hint.hpp"

namespace xpose {
namespace {

// Path and digest of the file that is found under a name. A file digested before is not opened.
template <class Identify, class Describe, class Open>
void add(Catalog& catalog, const std::filesystem::path& file, Cache& cache,
         const Identify& identify, const Describe& described, const Open& open) {
  PluginInfo info;
  info.file = file;
  try {
    const FileIdentity identity = identify();
    info.file = identity.path;
    if (auto shipped = described(identity)) {
      info.digest = shipped->digest;
      catalog.shipped.emplace(info.digest, std::move(*shipped));
    } else if (auto known = cache.find_digest(identity)) {
      info.digest = std::move(*known);
    } else {
      const PluginFile opened = open();
      if (std::string why = opened.foreign(); !why.empty()) throw Refusal{std::move(why)};
      info.digest = opened.digest();
      cache.store_digest(opened.identity(), info.digest);
    }
    if (catalog.find(info.digest) != nullptr) return;  // the same content under another name
  } catch (const Refusal& refusal) {
    info.refused = one_line(file.filename().string() + ": " + refusal.why);
  }
  catalog.plugins.push_back(std::move(info));
}

// The strategy name that a plugin shares with one that was described before it, or null.
const std::string* name_in_use(const Catalog& catalog, const PluginInfo& plugin) {
  for (const StrategyInfo& strategy : plugin.strategies)
    if (find_strategy(catalog.strategies, strategy.name) != nullptr) return &strategy.name;
  return nullptr;
}

}  // namespace

const PluginInfo* Catalog::find(const std::string& digest) const {
  for (const PluginInfo& plugin : plugins)
    if (!plugin.digest.empty() && plugin.digest == digest) return &plugin;
  return nullptr;
}

const PluginInfo* Catalog::find_shipped(const std::string& digest) const {
  const auto found = shipped.find(digest);
  return found == shipped.end() ? nullptr : &found->second;
}

const Strategy& Catalog::strategy(const std::string& name) const {
  const Strategy* const* const found = find_strategy(strategies, name);
  if (found == nullptr)
    throw not_offered(*this, "a strategy '" + name + '\'' + strategy_hint(*this, name));
  return **found;
}

std::string strategy_hint(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> names;
  for (const Strategy* strategy : catalog.strategies) names.push_back(strategy->info.name);
  return detail::name_hint(name, names);
}

Error not_offered(const Catalog& catalog, const std::string& it) {
  constexpr const char* kList = "`xpose plugins` lists the strategies, and the reason for each ";
  const auto refused = [](const PluginInfo& plugin) { return !plugin.refused.empty(); };
  if (!std::ranges::all_of(catalog.plugins, refused))
    return {ErrorKind::no_strategy,
            "no loaded plugin offers " + one_line(it) + "; " + kList + "refused file"};
  std::string text = "no plugin is loaded, so none offers " + one_line(it) + "; ";
  if (catalog.plugins.empty())
    text += "there is no folder of plugins: name one in XPOSE_PLUGIN_PATH";
  else
    text += "refused " + catalog.plugins.front().refused;
  if (catalog.plugins.size() > 1) text += std::string("; ") + kList + "other refused file";
  return {ErrorKind::no_strategy, text};
}

void add_file(Catalog& catalog, const std::filesystem::path& file, Cache& cache) {
  const auto open = [&] { return PluginFile::open(file); };
  add(
      catalog, file, cache, [&] { return open().identity(); },
      [](const FileIdentity&) { return std::optional<PluginInfo>(); }, open);
}

Catalog scan(std::span<const std::filesystem::path> folders, Cache& cache,
             const Unloadable& unloadable, Shipped shipped) {
  Catalog catalog;
  for (const std::filesystem::path& path : folders) try {
      const PluginFolder folder(path);
      for (const std::filesystem::path& file : folder.files())
        add(
            catalog, file, cache, [&] { return folder.identity(file); },
            [&](const FileIdentity& plugin) {
              return shipped == Shipped::believed ? shipped_description(folder, plugin)
                                                  : std::nullopt;
            },
            [&] { return folder.open(file); });
    } catch (const Refusal& refusal) {
      PluginInfo info;
      info.file = path;
      info.refused = one_line(refusal.why);
      catalog.plugins.push_back(std::move(info));
    }
  std::vector<std::string> digests;
  for (PluginInfo& plugin : catalog.plugins) {
    if (const auto known = unloadable.find(plugin.digest); known != unloadable.end())
      plugin.refused = one_line(plugin.file.filename().string() + ": " + known->second);
    if (plugin.refused.empty()) digests.push_back(plugin.digest);
  }
  std::ranges::sort(digests);
  catalog.digest = digest_of(digests);
  return catalog;
}

void describe(Catalog& catalog, Admission& admission) {
  if (catalog.is_described) return;
  Catalog filled = catalog;  // which stays as it is where this cannot be finished
  for (PluginInfo& plugin : filled.plugins) {
    if (!plugin.refused.empty()) continue;
    const std::string name = one_line(plugin.file.filename().string());
    try {
      plugin = admission.describe(plugin.file, plugin.digest, catalog.find_shipped(plugin.digest));
    } catch (const Refusal& refusal) {
      plugin.refused = one_line(name + ": " + refusal.why);
      continue;
    }
    if (const std::string* used = name_in_use(filled, plugin)) {
      plugin.refused = name + ": its strategy '" + *used +
                       "' is also offered by a plugin found before it; rename one or remove one "
                       "file";
      continue;
    }
    if (admission.in_process()) {
      for (const Strategy& strategy : admission.load(plugin.file, plugin.digest).strategies)
        filled.strategies.push_back(&strategy);
    } else {
      for (const StrategyInfo& strategy : plugin.strategies)
        filled.strategies.push_back(
            &filled.described.emplace_back(Strategy{strategy, plugin.digest, nullptr}));
    }
  }
  filled.is_described = true;
  catalog = std::move(filled);
}

std::vector<std::filesystem::path> default_plugin_folders() {
  if (const char* path = environment("XPOSE_PLUGIN_PATH")) return folders_of(path);
  const std::filesystem::path folder = installed_folder();
  if (folder.empty()) return {};
  return {folder / "plugins"};
}

}  // namespace xpose
