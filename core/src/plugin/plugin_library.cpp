#include "plugin/plugin_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "plugin/limits.hpp"
#include "strategy/plugin_call.hpp"

namespace xpose {
namespace {

// The loader's words, about the file instead of its descriptor.
std::string loader_words(std::string text, const std::string& loaded, const PluginFile& file) {
  std::ranges::replace(text, '\n', ' ');
  for (std::size_t at = 0; (at = text.find(loaded, at)) != std::string::npos;)
    text.replace(at, loaded.size(), file.path().filename().string());
  return text;
}

// Their struct, cut or padded with zeros to the size of ours.
template <class Struct>
Struct negotiated(const Struct* theirs, std::uint32_t their_size) {
  Struct ours{};
  std::memcpy(&ours, theirs, std::min<std::size_t>(their_size, sizeof ours));
  return ours;
}

// At most so much is read of a text: enough to see that it is too long.
std::string cut(const char* text, std::size_t bytes) {
  return text == nullptr ? "" : std::string(text, strnlen(text, bytes + 1));
}

// The fault that forbids even a copy of the axes, or nothing.
std::string axes_problem(const xpose_card& card) {
  if (card.axis_count > XPOSE_MAX_AXES)
    return "has " + std::to_string(card.axis_count) + " axes, more than " +
           std::to_string(XPOSE_MAX_AXES);
  for (std::uint32_t i = 0; i < card.axis_count; ++i)
    if (card.axes == nullptr || card.axes[i].values == nullptr ||
        card.axes[i].value_count > XPOSE_MAX_AXIS_VALUES)
      return "has no values, or more than " + std::to_string(XPOSE_MAX_AXIS_VALUES) +
             ", on its axis number " + std::to_string(i);
  return {};
}

// The fault of a strategy beside its description, or nothing.
std::string problem_of(const xpose_card& card, const xpose_strategy& functions) {
  const std::string name = "its strategy '" + one_line(cut(card.name, kMaxNameBytes)) + "' ";
  if (card.summary == nullptr) return name + "has no summary";
  if (card.device_kind != XPOSE_HOST && card.device_kind != XPOSE_CUDA)
    return name + "names an unknown device kind, " + std::to_string(card.device_kind);
  if (card.role < XPOSE_TRANSPOSE || card.role > XPOSE_NUMERIC)
    return name + "names an unknown role, " + std::to_string(card.role);
  if (card.element_sizes == 0 || (card.element_sizes & ~(31U | XPOSE_FAT_SIZES)) != 0)
    return name + "serves no element size of 1, 2, 4, 8, 16 and XPOSE_FAT_SIZES, or others as well";
  if ((card.min_alignment & (card.min_alignment - 1)) != 0)
    return name + "asks for an alignment that is not a power of two";
  if (const std::string axes = axes_problem(card); !axes.empty()) return name + axes;
  if (functions.quote == nullptr || functions.create == nullptr || functions.launch == nullptr ||
      functions.destroy == nullptr)
    return name + "lacks one of quote, create, launch and destroy";
  return {};
}

Role role_of(std::int32_t role) {
  switch (role) {
    case XPOSE_COPY:
      return Role::copy;
    case XPOSE_EXPERIMENT:
      return Role::experiment;
    case XPOSE_NUMERIC:
      return Role::numeric;
    default:
      return Role::transpose;
  }
}

// The library's copy of a card, which can outlive a worker.
StrategyInfo describe(const xpose_card& card, const xpose_strategy& functions) {
  StrategyInfo info;
  info.name = cut(card.name, kMaxNameBytes);
  info.summary = one_line(cut(card.summary, kMaxSummaryBytes));
  info.device_kind = card.device_kind == XPOSE_HOST ? DeviceKind::host : DeviceKind::cuda;
  info.role = role_of(card.role);
  info.element_sizes = card.element_sizes;
  info.min_alignment = card.min_alignment;
  info.min_compute_capability = card.min_compute_capability;
  info.max_batch_rank = card.max_batch_rank;
  info.in_place = (card.traits & XPOSE_TRAIT_IN_PLACE) != 0;
  info.capturable = (card.traits & XPOSE_TRAIT_CAPTURABLE) != 0;
  info.permutes = (card.traits & XPOSE_TRAIT_PERMUTES) != 0;
  info.has_simulator = functions.trace != nullptr;
  info.max_extent = card.max_extent;
  info.prior_rank = card.prior_rank;
  for (std::uint32_t i = 0; i < card.axis_count; ++i) {
    const xpose_axis& axis = card.axes[i];
    info.axes.emplace_back(cut(axis.name, kMaxNameBytes),
                           std::vector(axis.values, axis.values + axis.value_count));
  }
  return info;
}

PluginLibrary load_file(PluginFile& file) {
  if (std::string missing = file.missing_part(); !missing.empty()) throw Refusal{missing};
  namespace dll = boost::dll;
  // Leaked: a loaded plugin stays until the process ends, with its types, code and GPU modules.
  static auto* loaded = new std::vector<std::unique_ptr<dll::shared_library>>;
  auto owned = std::make_unique<dll::shared_library>();
  dll::shared_library* library = owned.get();
  dll::fs::error_code failure;
  const std::string path = file.loader_path();
  file.check_unchanged();
  library->load(path, failure, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
  if (failure) {
    const char* words = ::dlerror();  // Boost's error code has lost them
    throw Refusal{"is not a loadable shared library: " +
                  loader_words(words == nullptr ? failure.message() : words, path, file) +
                  "; rebuild it with xpose_add_plugin()"};
  }
  loaded->push_back(std::move(owned));
  file.release();
  if (!library->has(XPOSE_ENTRY_SYMBOL))
    throw Refusal{"exports no " XPOSE_ENTRY_SYMBOL
                  ", so it is no xpose plugin; put XPOSE_PLUGIN(...) in one of its sources"};
  const auto entry = library->get<const xpose_plugin*()>(XPOSE_ENTRY_SYMBOL);
  return read_plugin(entry());
}

}  // namespace

PluginLibrary read_plugin(const xpose_plugin* plugin) {
  if (plugin == nullptr) throw Refusal{"its entry returned nothing; see its XPOSE_PLUGIN line"};
  if (plugin->abi_major != XPOSE_ABI_MAJOR)
    throw Refusal{"was built for plugin ABI " + version_text(plugin->abi_major, plugin->abi_minor) +
                  ", this xpose has " + abi_version() +
                  "; rebuild it against this xpose's headers"};
  const xpose_plugin ours = negotiated(plugin, plugin->size);
  if (ours.strategy_count == 0 || ours.strategies == nullptr)
    throw Refusal{"offers no strategies; name them in XPOSE_PLUGIN(\"name\", \"version\", ...)"};
  if (ours.strategy_count > kMaxStrategies) throw Refusal{kTooManyStrategies};
  PluginLibrary library;
  library.info.name = cut(ours.name, kMaxNameBytes);
  library.info.version = one_line(cut(ours.version, kMaxSummaryBytes), kMaxSummaryBytes);
  library.info.build = one_line(cut(ours.build, kMaxSummaryBytes), kMaxSummaryBytes);
  for (std::uint32_t i = 0; i < ours.strategy_count; ++i) {
    const xpose_strategy* theirs = ours.strategies[i];
    if (theirs == nullptr || theirs->card == nullptr)
      throw Refusal{"its strategy number " + std::to_string(i) + " is null or has no card"};
    const xpose_strategy functions = negotiated(theirs, theirs->size);
    const xpose_card card = negotiated(theirs->card, theirs->card->size);
    if (const std::string problem = problem_of(card, functions); !problem.empty())
      throw Refusal{problem};
    library.info.strategies.push_back(describe(card, functions));
    library.functions.push_back(functions);
  }
  if (std::string problem = description_problem(library.info); !problem.empty())
    throw Refusal{problem};
  return library;
}

const PluginLibrary& load_plugin(PluginFile file, const std::string& digest) {
  // Never freed, like what it names.
  static std::mutex mutex;
  static auto* by_digest = new std::map<std::string, std::unique_ptr<PluginLibrary>>;
  static auto* inodes = new std::set<std::pair<std::uint64_t, std::uint64_t>>;
  const std::lock_guard lock(mutex);
  if (const auto known = by_digest->find(digest); known != by_digest->end()) return *known->second;
  const auto inode = std::pair(file.identity().device, file.identity().inode);
  if (inodes->contains(inode))
    throw Refusal{
        "was overwritten while it was loaded; start this program anew, and install "
        "plugins under a new file that is then renamed"};
  PluginLibrary loaded = load_file(file);
  std::set<std::pair<std::uint64_t, std::uint64_t>> loaded_inode = {inode};
  auto library = std::make_unique<PluginLibrary>(std::move(loaded));
  library->info.file = file.path();
  library->info.digest = digest;
  for (std::size_t i = 0; i < library->functions.size(); ++i)
    library->strategies.push_back({library->info.strategies[i], digest, &library->functions[i]});
  const PluginLibrary& kept = *by_digest->emplace(digest, std::move(library)).first->second;
  inodes->merge(loaded_inode);  // last, and without allocating: both are recorded, or neither
  return kept;
}

}  // namespace xpose
