#include "explain/measure.hpp"

#include <algorithm>
#include <array>

#include "counters/counters.hpp"
#include "device/device.hpp"
#include "process/device_lock.hpp"
#include "strategy/bound_plan.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

constexpr double kBudgetSeconds = 1;
constexpr double kLongestWaitSeconds = 600;  // for another process that measures
constexpr std::size_t kSamples = 15;
constexpr std::size_t kMostSets = 16;  // of buffers; more do not fit a launch's own data any colder

struct Times {
  double launch = 0;
  double roof = 0;
};

// The medians of a race of this variant alone against the copies.
Times times_of(Chooser& chooser, const Candidate& candidate, const Problem& normal) {
  TuneOptions options;
  options.budget_seconds = kBudgetSeconds;
  options.variants = {candidate.variant};
  const TuneReport report = chooser.tune(normal, options);
  Times times;
  for (const Trial& trial : report.trials) {
    if (!(trial.variant == candidate.variant)) continue;
    if (trial.verdict != Verdict::ok)
      throw Error(kind_of(trial.verdict), to_string(trial.variant) + ": " +
                                              std::string(to_string(trial.verdict)) + ": " +
                                              trial.detail);
    if (trial.timing) times.launch = trial.timing->median;
  }
  if (report.roof) times.roof = report.trials[*report.roof].timing->median;
  return times;
}

// The candidate's launch on buffers that rotate, so that the caches are cold.
class Launches {
 public:
  Launches(Backend& backend, const Candidate& candidate, const Problem& normal)
      : backend_(backend),
        candidate_(candidate),
        arena_(backend, normal, sets_for(backend, normal)),
        plan_(candidate, normal, backend.info(), 0) {}

  void operator()() {
    const std::size_t set = next_++ % arena_.sets();
    void* workspace = arena_.workspace(candidate_.workspace_bytes);
    if (candidate_.role == Role::copy)
      plan_.launch(arena_.copy_in(set), arena_.copy_out(set), workspace, nullptr);
    else
      plan_.launch(arena_.in(set), arena_.out(set), workspace, nullptr);
  }

  double median_seconds() {
    std::array<double, kSamples> seconds{};
    for (double& one : seconds)
      one = backend_.seconds(
          1, [this] { (*this)(); }, false);
    std::ranges::nth_element(seconds, seconds.begin() + kSamples / 2);
    return seconds.at(kSamples / 2);
  }

 private:
  static std::size_t sets_for(Backend& backend, const Problem& normal) {
    const std::uint64_t least = Arena::footprint(normal, 1);
    const std::uint64_t free = backend.free_bytes();
    if (least > free)
      throw Error(ErrorKind::no_memory, "counting " + to_string(normal) + " takes buffers of " +
                                            std::to_string(least) + " bytes, but " +
                                            std::to_string(free) +
                                            " bytes are free; explain a smaller problem");
    const std::uint64_t one = Arena::footprint(normal, 2) - least;
    const std::uint64_t cold = 2 * backend.info().cache_bytes / one + 2;
    const std::uint64_t fitting = 1 + (free - least) / 2 / one;
    return std::min<std::uint64_t>({cold, fitting, kMostSets});
  }

  Backend& backend_;
  const Candidate& candidate_;
  Arena arena_;
  BoundPlan plan_;
  std::size_t next_ = 0;
};

}  // namespace

std::variant<HardwareAccount, std::string> measure(Chooser& chooser, const Candidate& candidate,
                                                   const Problem& normal) {
  Backend& device = backend(normal.device);
  // Before counting, which may leave hooks in the driver.
  Times times;
  if (candidate.strategy->info.role != Role::experiment)
    times = times_of(chooser, candidate, normal);
  // A process that measures on the device and one that counts wait for each other.
  const DeviceLock lock(device.info().id, kLongestWaitSeconds, [] { return true; });
  device.make_current();
  Launches launch(device, candidate, normal);
  launch();
  device.synchronize();
  if (times.launch == 0) times.launch = launch.median_seconds();
  auto counted = count(normal.device, [&] { launch(); });
  if (const auto* why = std::get_if<std::string>(&counted)) return *why;
  HardwareAccount account = std::get<Counted>(counted).account;
  account.seconds = times.launch;
  account.roof_seconds = times.roof;
  return account;
}

}  // namespace xpose
