#include "cache/cache.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "cache/cache_layers.hpp"
#include "cache/cache_rows.hpp"
#include "cache/in_flight.hpp"

namespace xpose {

struct Cache::Impl {
  Impl(const std::filesystem::path& user, const std::filesystem::path& system, Warn listener)
      : layers(user, system), warn(std::move(listener)) {}

  std::mutex mutex;
  CacheLayers layers;
  Warn warn;
  std::optional<ProcessIdentity> process;               // once it was needed
  std::set<std::pair<std::string, std::string>> begun;  // (digest, strategy) of trials
  Durability in_flight = Durability::process;           // of the row of this process

  const ProcessIdentity& this_one() {
    if (!process) process = this_process();
    return *process;
  }

  // Runs the body alone; then, when others may go on, gives the warnings: the listener may ask the
  // cache.
  template <class Body>
  void alone(const Body& body) {
    try {
      std::vector<std::string> warnings;
      {
        const std::lock_guard lock(mutex);
        body();
        warnings = layers.take_warnings();
      }
      if (!warn) return;
      for (const std::string& warning : warnings) warn(warning);
    } catch (...) {  // no memory, or the listener's trouble: what is not remembered is missed
    }
  }

  template <class Read>
  auto find(const Read& read) -> std::invoke_result_t<const Read&, Database&> {
    std::invoke_result_t<const Read&, Database&> answer;
    alone([&] { answer = layers.find(read); });
    return answer;
  }

  // One transaction.
  void write(const std::function<void(Database&)>& body) {
    alone([&] {
      layers.write([&](Database& database) {
        database.write(Durability::process, [&] { body(database); });
      });
    });
  }
};

Cache::Cache(const std::filesystem::path& user, const std::filesystem::path& system, Warn warn)
    : impl_(std::make_unique<Impl>(user, system, std::move(warn))) {
  impl_->alone([] {});
}
Cache::~Cache() = default;

std::filesystem::path Cache::file() const {
  std::filesystem::path file;
  impl_->alone([&] { file = impl_->layers.file(); });
  return file;
}

// ---------------------------------------------------------------------------------- what is known

std::optional<Decision> Cache::find(const CacheKey& key) {
  return impl_->find([&](Database& database) { return find_decision(database, key); });
}

void Cache::store(const Decision& decision) {
  impl_->write([&](Database& database) { replace_decision(database, decision); });
}

std::optional<Decision> Cache::find_standing(const CacheKey& key) {
  return impl_->find([&](Database& database) { return xpose::find_standing(database, key); });
}

std::vector<double> Cache::find_errors(std::string_view digest, std::string_view strategy) {
  return impl_
      ->find([&](Database& database) { return xpose::find_errors(database, digest, strategy); })
      .value_or(std::vector<double>());
}

void Cache::store(const std::vector<Prediction>& predictions) {
  if (predictions.empty()) return;
  impl_->write([&](Database& database) {
    for (const Prediction& prediction : predictions) replace_prediction(database, prediction);
  });
}

std::optional<Quarantine> Cache::find_quarantine(std::string_view digest,
                                                 std::string_view strategy) {
  return impl_->find(
      [&](Database& database) { return xpose::find_quarantine(database, digest, strategy); });
}

void Cache::store(const Quarantine& quarantine) {
  impl_->write([&](Database& database) { replace_quarantine(database, quarantine); });
}

std::optional<std::string> Cache::find_description(std::string_view digest, std::string_view abi) {
  return impl_->find(
      [&](Database& database) { return xpose::find_description(database, digest, abi); });
}

void Cache::store_description(std::string_view digest, std::string_view abi,
                              std::string_view description) {
  impl_->write(
      [&](Database& database) { replace_description(database, digest, abi, description); });
}

std::optional<std::string> Cache::find_digest(const FileIdentity& file) {
  return impl_->find([&](Database& database) { return xpose::find_digest(database, file); });
}

void Cache::store_digest(const FileIdentity& file, std::string_view digest) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  const std::chrono::nanoseconds touched(std::max(file.modified, file.changed));
  if (touched > now - std::chrono::seconds(2)) return;
  impl_->write([&](Database& database) { replace_digest(database, file, digest); });
}

// --------------------------------------------------------------------------------------- in flight

void Cache::begin_trial(const Unfinished& trial) {
  impl_->alone([&] {
    const ProcessIdentity& process = impl_->this_one();
    const bool first = impl_->begun.emplace(trial.digest, trial.strategy).second;
    impl_->layers.write([&](Database& database) {
      impl_->in_flight = first && !has_trial(database, trial.digest, trial.strategy)
                             ? Durability::machine
                             : Durability::process;
      database.write(impl_->in_flight, [&] { put_in_flight(database, process, trial); });
    });
  });
}

// As durable as its beginning: a strategy must not be blamed for what comes after its trial.
void Cache::end_trial() {
  impl_->alone([&] {
    impl_->layers.write([&](Database& database) {
      database.write(impl_->in_flight, [&] { remove_in_flight(database, impl_->this_one()); });
    });
  });
}

std::vector<Unfinished> Cache::take_unfinished() {
  std::vector<Unfinished> taken;
  impl_->alone([&] {
    impl_->layers.write([&](Database& database) {
      if (any_in_flight(database)) taken = xpose::take_unfinished(database, impl_->this_one());
    });
  });
  return taken;
}

}  // namespace xpose
