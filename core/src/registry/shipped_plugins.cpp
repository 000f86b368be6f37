#include "registry/shipped_plugins.hpp"

#include <string_view>
#include <system_error>

#include "registry/catalog.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// By CMake, "host_simd:host_naive:...".
constexpr std::string_view kNames = ":" XPOSE_SHIPPED_PLUGINS ":";

// Links resolved, once in a process: every estimate asks. Never destroyed, as an engine may not be.
const fs::path& folder() {
  static const auto& resolved = *new fs::path([] {
    std::error_code ignored;
    const fs::path installed = installed_folder();
    return installed.empty() ? fs::path() : fs::weakly_canonical(installed / "plugins", ignored);
  }());
  return resolved;
}

}  // namespace

bool is_shipped_file(const fs::path& plugin) {
  return plugin.extension() == ".so" &&
         kNames.find(':' + plugin.stem().string() + ':') != std::string_view::npos &&
         plugin.parent_path() == folder();
}

std::set<std::string> shipped_digests(Cache& cache) {
  std::set<std::string> digests;
  for (const PluginInfo& plugin : scan({&folder(), 1}, cache, {}, Shipped::believed).plugins)
    if (!plugin.digest.empty() && is_shipped_file(plugin.file)) digests.insert(plugin.digest);
  return digests;
}

}  // namespace xpose
