#include "registry/admission.hpp"

#include <ctime>
#include <utility>

#include "worker/worker_runner.hpp"

namespace xpose {

Admission::Admission(Worker& worker, Cache& cache, Warn warn, bool in_process)
    : worker_(worker), cache_(cache), warn_(std::move(warn)), in_process_(in_process) {}

PluginInfo Admission::describe(const std::filesystem::path& file, const std::string& digest,
                               const PluginInfo* shipped) {
  if (in_process_) {
    PluginInfo info = load(file, digest).info;
    info.file = file;  // it may have been loaded under another name
    return info;
  }
  if (const auto out = cache_.find_quarantine(digest, "")) throw Refusal{xpose::describe(*out)};
  if (shipped != nullptr) return *shipped;
  if (const auto known = cache_.find_description(digest, abi_version())) try {
      PluginInfo info = decode_plugin(*known);
      info.file = file;
      return info;
    } catch (const Error&) {  // another version's row: ask again
    }
  PluginInfo info = ask_worker(file, digest);
  cache_.store_description(digest, abi_version(), encode(info));
  return info;
}

PluginInfo Admission::ask_worker(const std::filesystem::path& file, const std::string& digest) {
  Outcome first;
  for (const bool again : {false, true}) {
    const Reply reply = worker_.load(file, digest);
    if (reply.plugin) return *reply.plugin;
    const Outcome& outcome = reply.outcome;
    if (outcome.verdict == Verdict::load_refused) throw Refusal{outcome.detail};
    worker_.end();  // the second time alone
    const bool proves_nothing = outcome.verdict == Verdict::no_memory ||
                                (outcome.verdict == Verdict::timed_out && worker_.is_impatient());
    if (again && outcome.verdict == first.verdict && !proves_nothing) {
      const Quarantine row{digest,
                           "",
                           one_line(file.filename().string()),
                           outcome.verdict,
                           outcome.detail,
                           static_cast<std::int64_t>(std::time(nullptr))};
      cache_.store(row);
      if (warn_) warn_("plugin " + row.file + " is now in quarantine: " + row.words);
    }
    if (!again) first = outcome;
  }
  throw Refusal{first.detail};
}

const PluginLibrary& Admission::load(const std::filesystem::path& file, const std::string& digest) {
  PluginFile opened = PluginFile::open(file);
  if (opened.digest() != digest) throw Refusal{"was changed on disk; start anew"};
  const auto loaded = load_plugin(std::move(opened), digest);
  if (const auto* refusal = std::get_if<Refusal>(&loaded)) throw *refusal;
  return *std::get<const PluginLibrary*>(loaded);
}

}  // namespace xpose
