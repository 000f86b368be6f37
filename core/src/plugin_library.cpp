#include "plugin_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "elf_file.hpp"

namespace xpose {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Their struct, cut or padded with zeros to the size of ours.
template <class Struct>
Struct negotiated(const Struct* theirs, std::uint32_t their_size) {
  Struct ours{};
  std::memcpy(&ours, theirs, std::min<std::size_t>(their_size, sizeof ours));
  return ours;
}

// A name of [a-z][a-z0-9_]*.
bool is_name(const char* text) {
  if (text == nullptr || *text < 'a' || *text > 'z') return false;
  return std::ranges::all_of(std::string_view(text), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string version_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + '.' + std::to_string(minor);
}

std::string axes_problem(const xpose_card& card) {
  if (card.axis_count > XPOSE_MAX_AXES)
    return "has " + std::to_string(card.axis_count) + " axes, more than " +
           std::to_string(XPOSE_MAX_AXES);
  for (std::uint32_t i = 0; i < card.axis_count; ++i) {
    if (card.axes == nullptr || !is_name(card.axes[i].name))
      return "has an axis whose name is not of [a-z][a-z0-9_]*";
    if (card.axes[i].values == nullptr || card.axes[i].value_count == 0 ||
        card.axes[i].value_count > XPOSE_MAX_AXIS_VALUES)
      return std::string("has no values, or more than ") + std::to_string(XPOSE_MAX_AXIS_VALUES) +
             ", on its axis '" + card.axes[i].name + '\'';
  }
  return {};
}

// What is wrong with a strategy, or nothing.
std::string problem_of(const Strategy& strategy) {
  const xpose_card& card = strategy.card;
  if (!is_name(card.name)) return "has a strategy whose name is not of [a-z][a-z0-9_]*";
  const std::string name = std::string("its strategy '") + card.name + "' ";
  if (card.summary == nullptr) return name + "has no summary";
  if (card.device_kind != XPOSE_HOST && card.device_kind != XPOSE_CUDA)
    return name + "names an unknown device kind, " + std::to_string(card.device_kind);
  if (card.role != XPOSE_TRANSPOSE && card.role != XPOSE_COPY)
    return name + "names an unknown role, " + std::to_string(card.role);
  if (card.element_sizes == 0 || (card.element_sizes & ~31U) != 0)
    return name + "serves no element size of 1, 2, 4, 8 and 16, or others as well";
  if ((card.min_alignment & (card.min_alignment - 1)) != 0)
    return name + "asks for an alignment that is not a power of two";
  if (const std::string axes = axes_problem(card); !axes.empty()) return name + axes;
  const xpose_strategy& functions = strategy.functions;
  if (functions.quote == nullptr || functions.create == nullptr || functions.launch == nullptr ||
      functions.destroy == nullptr)
    return name + "lacks one of quote, create, launch and destroy";
  return {};
}

std::variant<const PluginLibrary*, Refusal> load_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    return Refusal{error ? "cannot be read: " + error.message() : "is not a regular file"};
  errno = 0;
  if (!std::ifstream(file).good())
    return Refusal{std::string("cannot be read: ") + std::strerror(errno)};
  if (const std::string missing = missing_part(file); !missing.empty()) return Refusal{missing};
  // Leaked: a loaded plugin stays until the process ends, with its types, code and GPU modules.
  namespace dll = boost::dll;
  static auto* loaded = new std::vector<std::unique_ptr<dll::shared_library>>;
  dll::shared_library* library =
      loaded->emplace_back(std::make_unique<dll::shared_library>()).get();
  boost::dll::fs::error_code failure;
  library->load(file, failure, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
  if (failure) {
    const char* words = ::dlerror();  // Boost's error code has lost them
    return Refusal{"is not a loadable shared library: " +
                   one_line(words == nullptr ? failure.message() : words) +
                   "; rebuild it with xpose_add_plugin()"};
  }
  if (!library->has(XPOSE_ENTRY_SYMBOL))
    return Refusal{"exports no " XPOSE_ENTRY_SYMBOL
                   ", so it is no xpose plugin; put XPOSE_PLUGIN(...) in one of its sources"};
  const auto entry = library->get<const xpose_plugin*()>(XPOSE_ENTRY_SYMBOL);
  auto read = read_plugin(entry());
  if (auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
  auto* plugin = new PluginLibrary(std::move(std::get<PluginLibrary>(read)));
  plugin->file = file;
  return plugin;
}

}  // namespace

std::variant<PluginLibrary, Refusal> read_plugin(const xpose_plugin* plugin) {
  if (plugin == nullptr) return Refusal{"its entry returned nothing; see its XPOSE_PLUGIN line"};
  if (plugin->abi_major != XPOSE_ABI_MAJOR)
    return Refusal{"was built for plugin ABI " +
                   version_text(plugin->abi_major, plugin->abi_minor) + ", this xpose has " +
                   version_text(XPOSE_ABI_MAJOR, XPOSE_ABI_MINOR) +
                   "; rebuild it against this xpose's headers"};
  const xpose_plugin ours = negotiated(plugin, plugin->size);
  if (!is_name(ours.name)) return Refusal{"its name is not of [a-z][a-z0-9_]*"};
  if (ours.strategy_count == 0 || ours.strategies == nullptr)
    return Refusal{"offers no strategies; name them in XPOSE_PLUGIN(\"name\", \"version\", ...)"};
  PluginLibrary library;
  library.name = ours.name;
  library.version = ours.version == nullptr ? "" : ours.version;
  library.build = ours.build == nullptr ? "" : ours.build;
  for (std::uint32_t i = 0; i < ours.strategy_count; ++i) {
    const xpose_strategy* theirs = ours.strategies[i];
    if (theirs == nullptr || theirs->card == nullptr)
      return Refusal{"its strategy number " + std::to_string(i) + " is null or has no card"};
    Strategy strategy;
    strategy.functions = negotiated(theirs, theirs->size);
    strategy.card = negotiated(theirs->card, theirs->card->size);
    if (const std::string problem = problem_of(strategy); !problem.empty()) return Refusal{problem};
    for (const Strategy& other : library.strategies)
      if (std::strcmp(other.card.name, strategy.card.name) == 0)
        return Refusal{std::string("offers two strategies named '") + other.card.name +
                       "'; rename one"};
    library.strategies.push_back(strategy);
  }
  return library;
}

std::variant<const PluginLibrary*, Refusal> load_plugin(const std::filesystem::path& file) {
  static std::mutex mutex;
  static auto* loaded = new std::map<std::filesystem::path, const PluginLibrary*>;
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(file, error);
  if (error) return Refusal{"cannot be read: " + error.message()};
  const std::lock_guard lock(mutex);
  if (const auto known = loaded->find(resolved); known != loaded->end()) return known->second;
  auto result = load_file(resolved);
  if (const auto* plugin = std::get_if<const PluginLibrary*>(&result))
    loaded->emplace(resolved, *plugin);
  return result;
}

}  // namespace xpose
