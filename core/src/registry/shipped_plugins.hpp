// The plugins that came with the library: those that were built with it, where they were installed
// with it. Their names are compiled in, since whoever installs a plugin of his own beside them
// writes whatever lies there.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "cache/cache.hpp"

namespace xpose {

// Whether a plugin's file is one of them. [any thread]
bool is_shipped_file(const std::filesystem::path& plugin);

// Their digests, by which copies elsewhere are known.
std::set<std::string> shipped_digests(Cache& cache);

}  // namespace xpose
