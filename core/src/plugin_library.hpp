// A plugin file, loaded and read. Boost.DLL is included by plugin_library.cpp alone.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "xpose/plugin.h"

namespace xpose {

// A strategy as the host holds it: its own copies of the plugin's structs.
struct Strategy {
  xpose_card card{};
  xpose_strategy functions{};
};

struct PluginLibrary {
  std::filesystem::path file;  // absolute, symbolic links resolved
  std::string name;
  std::string version;
  std::string build;
  std::vector<Strategy> strategies;
};

// Why a file was refused, one line that names the remedy.
struct Refusal {
  std::string why;
};

// Loads a file (with every symbol resolved, its own kept local), or gives back what was loaded from
// that path before: a plugin is loaded once and never unloaded. [any thread]
std::variant<const PluginLibrary*, Refusal> load_plugin(const std::filesystem::path& file);

// Reads what an entry returned, negotiating versions by struct size.
std::variant<PluginLibrary, Refusal> read_plugin(const xpose_plugin* plugin);

}  // namespace xpose
