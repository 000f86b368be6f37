#include "registry/shipped_plugins.hpp"

#include <string_view>
#include <system_error>

#include "registry/catalog.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// By CMake, "host_simd:host_naive:...".
constexpr std::string_view kNames = ":" XPOSE_SHIPPED_PLUGINS ":";

fs::path folder() { return installed_folder() / "plugins"; }

}  // namespace

bool is_shipped_file(const fs::path& plugin) {
  std::error_code ignored;
  return plugin.extension() == ".so" &&
         kNames.find(':' + plugin.stem().string() + ':') != std::string_view::npos &&
         plugin.parent_path() == fs::weakly_canonical(folder(), ignored);
}

std::set<std::string> shipped_digests(Cache& cache) {
  const fs::path installed = folder();
  std::set<std::string> digests;
  for (const PluginInfo& plugin : scan({&installed, 1}, cache, {}, Shipped::believed).plugins)
    if (!plugin.digest.empty() && is_shipped_file(plugin.file)) digests.insert(plugin.digest);
  return digests;
}

}  // namespace xpose
