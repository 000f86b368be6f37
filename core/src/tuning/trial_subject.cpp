#include "tuning/trial_subject.hpp"

#include <algorithm>
#include <cstdio>

#include "trial/arena.hpp"
#include "tuning/stand_in.hpp"

namespace xpose {
namespace {

bool is_host(const DeviceInfo& device) { return device.device.kind == DeviceKind::host; }

// The cost of trials on a device, by the size of their buffers.
class TrialCost {
 public:
  TrialCost(const DeviceInfo& device, const RacePolicy& policy) : device_(device), policy_(policy) {
    const double processors = std::max(device.multiprocessors, 1U);
    if (is_host(device)) {
      fixed_ = policy.host_fixed_seconds;
      make_ = policy.host_make_seconds;
      try_ = policy.host_try_seconds / std::min(processors, policy.host_processors);
    } else {
      fixed_ = policy.gpu_fixed_seconds;
      make_ = policy.gpu_make_seconds / processors;
      try_ = policy.gpu_try_seconds / processors;
    }
  }

  double seconds(std::uint64_t bytes, double tries) const {
    const auto made = static_cast<double>(bytes + cleaning_bytes(bytes));
    return fixed_ + made * make_ + static_cast<double>(bytes) * tries * try_;
  }

  // The most bytes whose trials take so many seconds, without the memory that cleans caches.
  std::uint64_t bytes_in(double seconds, double tries) const {
    const double bytes = (seconds - fixed_) / (make_ + tries * try_);
    return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, 0x1p62));
  }

  // Memory that pushes buffers of so many bytes out of the host's caches: smaller buffers have
  // their lines dropped instead.
  std::uint64_t cleaning_bytes(std::uint64_t bytes) const {
    const auto cleaning = static_cast<std::uint64_t>(policy_.cleaning_caches *
                                                     static_cast<double>(device_.cache_bytes));
    return is_host(device_) && bytes > cleaning ? cleaning : 0;
  }

 private:
  const DeviceInfo& device_;
  const RacePolicy& policy_;
  double fixed_;  // seconds
  double make_;   // seconds a byte
  double try_;    // seconds a byte
};

std::uint64_t least_stand_in(const DeviceInfo& device, const RacePolicy& policy) {
  return is_host(device) ? policy.host_least_bytes
                         : static_cast<std::uint64_t>(policy.gpu_least_caches *
                                                      static_cast<double>(device.cache_bytes));
}

std::string rounded(double value) {
  char text[32];
  (void)std::snprintf(text, sizeof text, value < 99.5 ? "%.2g" : "%.0f", value);
  return text;
}

std::string mebibytes(std::uint64_t bytes) {
  return rounded(static_cast<double>(bytes) / (1 << 20)) + " MiB";
}

}  // namespace

double least_trial_seconds(const DeviceInfo& device, std::uint64_t bytes,
                           const RacePolicy& policy) {
  return TrialCost(device, policy).seconds(bytes, policy.least_tries);
}

TrialSubject trial_subject(const Problem& normal, const DeviceInfo& device, double budget_seconds,
                           std::uint64_t free_bytes, const RacePolicy& policy) {
  const TrialCost cost(device, policy);
  const std::uint64_t whole = Arena::footprint(normal, 1);
  const auto most_memory =
      static_cast<std::uint64_t>(static_cast<double>(free_bytes) * policy.memory_share);
  const auto is_in_memory = [&](std::uint64_t bytes) {
    return bytes <= most_memory && cost.cleaning_bytes(bytes) <= most_memory - bytes;
  };
  const double seconds = cost.seconds(whole, policy.least_tries);
  TrialSubject subject;
  if (!is_in_memory(whole))
    subject.why = "trials of the whole take " + mebibytes(whole) + " of memory, and " +
                  mebibytes(free_bytes) + " are free";
  else if (seconds > budget_seconds)
    subject.why = "trials of the whole would take about " + rounded(seconds) +
                  " s of a budget of " + rounded(budget_seconds) + " s";
  else
    return {normal, ""};
  const std::uint64_t least = least_stand_in(device, policy);
  for (const double tries : {policy.full_tries, policy.least_tries}) {
    const std::uint64_t most = std::max(cost.bytes_in(budget_seconds, tries), least);
    // The other half is for the memory that cleans caches.
    const std::uint64_t bytes = is_in_memory(most) ? most : most_memory / 2;
    if (bytes >= least && bytes < whole &&
        cost.seconds(bytes, policy.least_tries) <= budget_seconds)
      subject.problem = stand_in(normal, bytes, policy);
    if (subject.problem) return subject;
  }
  return subject;
}

}  // namespace xpose
