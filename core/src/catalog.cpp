#include "catalog.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace xpose {
namespace {

StrategyInfo describe(const xpose_card& card) {
  StrategyInfo info;
  info.name = card.name;
  info.summary = card.summary;
  info.device_kind = card.device_kind == XPOSE_HOST ? DeviceKind::host : DeviceKind::cuda;
  info.is_copy = card.role == XPOSE_COPY;
  info.element_sizes = card.element_sizes;
  info.min_compute_capability = card.min_compute_capability;
  info.prior_rank = card.prior_rank;
  for (std::uint32_t i = 0; i < card.axis_count; ++i) {
    const xpose_axis& axis = card.axes[i];
    info.axes.emplace_back(axis.name, std::vector(axis.values, axis.values + axis.value_count));
  }
  return info;
}

// The strategy name that a plugin shares with one loaded before, or null.
const char* name_in_use(const Catalog& catalog, const PluginLibrary& library) {
  for (const Strategy& strategy : library.strategies)
    for (const Strategy* other : catalog.strategies)
      if (std::strcmp(strategy.card.name, other->card.name) == 0) return strategy.card.name;
  return nullptr;
}

}  // namespace

void add_plugin(Catalog& catalog, const std::filesystem::path& file) {
  PluginInfo info;
  info.file = file;
  const auto loaded = load_plugin(file);
  if (const auto* refusal = std::get_if<Refusal>(&loaded)) {
    info.refused = file.filename().string() + ": " + refusal->why;
    catalog.plugins.push_back(std::move(info));
    return;
  }
  const PluginLibrary& library = *std::get<const PluginLibrary*>(loaded);
  const bool known = std::ranges::any_of(catalog.plugins, [&](const PluginInfo& other) {
    return other.refused.empty() && other.file == library.file;
  });
  if (known) return;  // the same file through another folder or link
  info.file = library.file;
  info.name = library.name;
  info.version = library.version;
  info.build = library.build;
  for (const Strategy& strategy : library.strategies)
    info.strategies.push_back(describe(strategy.card));
  if (const char* name = name_in_use(catalog, library)) {
    info.refused = file.filename().string() + ": its strategy '" + name +
                   "' is also offered by a plugin loaded before it; rename one or remove one file";
  } else {
    for (const Strategy& strategy : library.strategies) catalog.strategies.push_back(&strategy);
  }
  catalog.plugins.push_back(std::move(info));
}

Catalog scan(std::span<const std::filesystem::path> folders) {
  Catalog catalog;
  for (const std::filesystem::path& folder : folders) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (auto it = std::filesystem::directory_iterator(folder, error);
         !error && it != std::filesystem::directory_iterator(); it.increment(error))
      if (it->path().extension() == ".so") files.push_back(it->path());
    if (error) {
      PluginInfo info;
      info.file = folder;
      info.refused = "plugin folder " + folder.string() + " cannot be read: " + error.message();
      catalog.plugins.push_back(std::move(info));
    }
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) add_plugin(catalog, file);
  }
  return catalog;
}

std::vector<std::filesystem::path> default_plugin_folders() {
  if (const char* path = std::getenv("XPOSE_PLUGIN_PATH"); path != nullptr && *path != '\0') {
    std::vector<std::filesystem::path> folders;
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon != 0) folders.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return folders;
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&default_plugin_folders), &self) == 0 ||
      self.dli_fname == nullptr)
    return {};
  std::error_code error;
  const auto library = std::filesystem::canonical(self.dli_fname, error);
  if (error) return {};
  return {library.parent_path() / "xpose" / "plugins"};
}

}  // namespace xpose
