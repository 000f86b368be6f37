#include "registry/shipped_description.hpp"

#include <unistd.h>

#include <fstream>

#include "plugin/plugin_library.hpp"
#include "worker/protocol.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;

std::string first_line(const FileIdentity& plugin) {
  return "xpose " + build_version() + ", ABI " + abi_version() + ": of a plugin of " +
         std::to_string(plugin.bytes) + " bytes\n";
}

std::string content_of(const PluginFile& file) {
  std::string text(file.identity().bytes, '\0');
  const ssize_t got = ::pread(file.descriptor(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

std::filesystem::path description_file(const std::filesystem::path& plugin) {
  std::filesystem::path file = plugin;
  return file += ".description";
}

std::optional<PluginInfo> shipped_description(const PluginFolder& folder,
                                              const FileIdentity& plugin) try {
  const PluginFile file = folder.open(description_file(plugin.path));
  if (file.identity().modified < plugin.modified || file.identity().bytes > kMostBytes) return {};
  const std::string text = content_of(file);
  const std::string begin = first_line(plugin);
  if (!text.starts_with(begin)) return {};
  PluginInfo info = decode_plugin(std::string_view(text).substr(begin.size()));
  info.file = plugin.path;
  return info;
} catch (const Refusal&) {  // there is none, or it may not be trusted
  return {};
} catch (const Error&) {  // no description
  return {};
}

void write_description(const std::filesystem::path& plugin, const std::filesystem::path& file) {
  PluginFile opened = PluginFile::open(plugin);
  const std::string begin = first_line(opened.identity());
  const std::string digest = opened.digest();
  const PluginLibrary& loaded = load_plugin(std::move(opened), digest);
  std::ofstream out(file, std::ios::binary);
  out << begin << encode(loaded.info) << std::flush;
  if (!out) throw Refusal{"has no description: " + file.string() + " cannot be written"};
}

}  // namespace xpose
