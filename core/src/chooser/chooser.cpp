#include "chooser/chooser.hpp"

#include <utility>

#include "chooser/turn.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

constexpr double kLongestWaitSeconds = 600;  // for another process that measures

}  // namespace

Chooser::Chooser(const Sources& sources, MakeRunner make_runner, const EngineOptions& options,
                 unsigned threads)
    : registry_(sources.registry),
      cache_(sources.cache),
      tables_(sources.tables),
      imposed_(sources.imposed),
      make_runner_(std::move(make_runner)),
      warn_(options.warn),
      threads_(threads),
      measuring_(options, cache_),
      asking_(options, cache_) {}

Chooser::Desk::Desk(const EngineOptions& options, Cache& cache)
    : worker(options.worker.empty() ? default_worker() : options.worker, options.stage_seconds),
      admission(worker, cache, options.warn, options.in_process) {}

void Chooser::warn(const std::string& text) const {
  if (warn_) warn_(one_line(text));
}

const std::vector<PluginInfo>& Chooser::plugins() {
  const std::lock_guard lock(asking_.mutex);
  return registry_.described(asking_.admission).plugins;
}

void Chooser::require_offered(std::span<const Variant> variants,
                              const std::optional<Device>& chosen_on) {
  if (variants.empty()) return;
  const std::lock_guard lock(asking_.mutex);
  retried(asking_, [&] { registry_.require_offered(asking_.admission, variants, chosen_on); });
}

TuneReport Chooser::tune(const Problem& normal, const TuneOptions& options) {
  if (Turn::is_of_this_thread())
    throw Error(ErrorKind::invalid,
                "cannot tune " + to_string(normal) +
                    " from a function that a measurement calls in this thread, because it waits "
                    "for that function: tune when the first call has returned");
  require_offered(options.variants);
  if (const TrialSubject subject = subject_of(normal, options); !subject.problem) {
    const std::lock_guard lock(asking_.mutex);  // an estimate waits for nobody who measures
    return retried(asking_, [&] { return estimate_instead(asking_, normal, subject.why, options); })
        .first;
  }
  const Turn turn(measuring_.mutex, kUntilGranted, options.interrupted);
  if (!turn.is_granted()) return interrupted_report(normal);
  const auto held = this->lock(normal, options, kLongestWaitSeconds);
  TuneReport report =
      retried(measuring_, [&] { return measure(measuring_, normal, options, Which::all); }).first;
  choices_.forget(normal, options);  // the next plan() finds what was stored
  return report;
}

Registry::Named Chooser::named(const Problem& normal, const DeviceInfo& device,
                               const Variant& variant) {
  const std::lock_guard lock(asking_.mutex);
  return retried(asking_,
                 [&] { return registry_.named(asking_.admission, normal, device, variant); });
}

Candidate Chooser::bind(Desk& desk, const Candidate& candidate, const Problem& normal) {
  return registry_.bind(desk.admission, candidate, normal, backend(normal.device).info());
}

}  // namespace xpose
