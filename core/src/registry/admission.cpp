#include "registry/admission.hpp"

#include <utility>

#include "worker/quarantine.hpp"

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
  Reply reply;
  const auto attempt = [&](bool) {
    reply = worker_.load(file, digest);
    if (!reply.plugin && reply.outcome.verdict == Verdict::ok)  // not the worker's own answer
      return Outcome{Verdict::protocol_error, "the worker described no plugin"};
    return reply.outcome;
  };
  const auto blame = [&](const Outcome& end) {
    convict(worker_, cache_, warn_,
            {digest, "", one_line(file.filename().string()), end.verdict, end.detail, 0});
  };
  const Outcome outcome = attempt_twice(worker_, attempt, blame);
  if (outcome.verdict != Verdict::ok) throw Refusal{outcome.detail};
  return *reply.plugin;
}

const PluginLibrary& Admission::load(const std::filesystem::path& file, const std::string& digest) {
  if (const auto known = loaded_.find(digest);
      known != loaded_.end() && is_as_it_was(file, known->second.file))
    return *known->second.library;
  PluginFile opened = PluginFile::open(file);
  if (opened.digest() != digest) throw Refusal{"was changed on disk; start anew"};
  Loaded loaded{opened.identity()};
  loaded.library = &load_plugin(std::move(opened), digest);
  return *loaded_.insert_or_assign(digest, std::move(loaded)).first->second.library;
}

}  // namespace xpose
