// A plugin's description, written into a file beside it when it was built, so that an estimate
// need not load every plugin into a worker first.
#pragma once

#include <filesystem>
#include <optional>

#include "plugin/plugin_file.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// NAME.so.description, beside NAME.so.
std::filesystem::path description_file(const std::filesystem::path& plugin);

// The description of a plugin file that lies in the folder, with its digest. Nothing where there is
// none of this build of xpose, where the plugin has another size than it had or was written later,
// or where the description may not be trusted, by the rules for plugin files. Its account of the
// content is not checked: loading the plugin compares the digest. [any thread]
std::optional<PluginInfo> shipped_description(const PluginFolder& folder,
                                              const FileIdentity& plugin);

// Loads the plugin into this process, which it may end, and writes its description to a file.
// Throws Refusal.
void write_description(const std::filesystem::path& plugin, const std::filesystem::path& file);

}  // namespace xpose
