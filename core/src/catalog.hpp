// The strategies found in plugin folders.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "plugin_library.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

struct Catalog {
  std::vector<PluginInfo> plugins;          // loaded and refused, by folder and then by file name
  std::vector<const Strategy*> strategies;  // of all loaded plugins; names are unique
};

// Loads every *.so of the folders, in order; a file that cannot be used is listed with the reason.
// A folder that is missing or unreadable is listed likewise.
Catalog scan(std::span<const std::filesystem::path> folders);

// Adds one plugin file.
void add_plugin(Catalog& catalog, const std::filesystem::path& file);

}  // namespace xpose
