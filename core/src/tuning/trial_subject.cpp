#include "tuning/trial_subject.hpp"

#include <algorithm>
#include <cstdio>

#include "trial/arena.hpp"
#include "tuning/stand_in.hpp"

namespace xpose {
namespace {

constexpr double tries_at_least = 6;  // copies, and the most promising
constexpr double tries_in_full = 24;  // the others too, and the race
constexpr double free_share = 0.875;  // of the free memory that trials take

// Seconds for a byte of the buffers.
struct Pace {
  double make;   // filling it, where its page may never have been touched
  double a_try;  // poisoning, a launch, comparing, and a launch on cold caches
};

// On the safe side: on a virtual machine the first touch of a page is the slowest of all.
Pace pace(const DeviceInfo& device) {
  const double processors = std::max(device.multiprocessors, 1U);
  if (device.device.kind == DeviceKind::host) return {1e-9, 0.74e-9 / std::min(processors, 16.0)};
  return {0.15e-9 / processors, 0.4e-9 / processors};
}

// What trials of any size take: messages, the loading of kernels.
double fixed_seconds(const DeviceInfo& device) {
  return device.device.kind == DeviceKind::host ? 2e-3 : 20e-3;
}

// No stand-in is smaller: half of what it moves would stay in the caches of a processor's core, or
// of a GPU.
std::uint64_t least_stand_in(const DeviceInfo& device) {
  return device.device.kind == DeviceKind::host ? 16 << 20 : 4 * device.cache_bytes;
}

// Memory that pushes buffers of so many bytes out of the host's caches, see Backend::clean_cache().
std::uint64_t cleaning_bytes(const DeviceInfo& device, std::uint64_t bytes) {
  const std::uint64_t cleaning = device.cache_bytes + device.cache_bytes / 2;
  return device.device.kind == DeviceKind::host && bytes > cleaning ? cleaning : 0;
}

double seconds_of(const DeviceInfo& device, std::uint64_t bytes, double tries) {
  const auto made = static_cast<double>(bytes + cleaning_bytes(device, bytes));
  return fixed_seconds(device) + made * pace(device).make +
         static_cast<double>(bytes) * tries * pace(device).a_try;
}

// The most bytes of which that is at most so many seconds, what cleans caches aside.
std::uint64_t bytes_in(const DeviceInfo& device, double seconds, double tries) {
  const double bytes =
      (seconds - fixed_seconds(device)) / (pace(device).make + tries * pace(device).a_try);
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, 0x1p62));
}

std::string rounded(double value) {
  char text[32];
  (void)std::snprintf(text, sizeof text, value < 100 ? "%.2g" : "%.0f", value);
  return text;
}

std::string mebibytes(std::uint64_t bytes) {
  return rounded(static_cast<double>(bytes) / (1 << 20)) + " MiB";
}

}  // namespace

double least_trial_seconds(const DeviceInfo& device, std::uint64_t bytes) {
  return seconds_of(device, bytes, tries_at_least);
}

TrialSubject trial_subject(const Problem& normal, const DeviceInfo& device, double budget_seconds,
                           std::uint64_t free_bytes) {
  const std::uint64_t whole = Arena::footprint(normal, 1);
  const auto most_memory = static_cast<std::uint64_t>(static_cast<double>(free_bytes) * free_share);
  const auto is_in_memory = [&](std::uint64_t bytes) {
    return bytes <= most_memory && cleaning_bytes(device, bytes) <= most_memory - bytes;
  };
  const double seconds = least_trial_seconds(device, whole);
  TrialSubject subject;
  if (!is_in_memory(whole))
    subject.why = "trials of the whole take " + mebibytes(whole) + " of memory, and " +
                  mebibytes(free_bytes) + " are free";
  else if (seconds > budget_seconds)
    subject.why = "trials of the whole would take about " + rounded(seconds) +
                  " s of a budget of " + rounded(budget_seconds) + " s";
  else
    return {normal, ""};
  const std::uint64_t least = least_stand_in(device);
  for (const double tries : {tries_in_full, tries_at_least}) {
    const std::uint64_t most = std::max(bytes_in(device, budget_seconds, tries), least);
    const std::uint64_t bytes = is_in_memory(most) ? most : most_memory / 2;
    if (bytes >= least && bytes < whole && least_trial_seconds(device, bytes) <= budget_seconds)
      subject.problem = stand_in(normal, bytes);
    if (subject.problem) return subject;
  }
  return subject;
}

}  // namespace xpose
