#include "exit_cleanup.hpp"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include "mapped_file.hpp"

namespace xpose::app {
namespace {

// Read by the handlers, so plain memory that is written before the range is touched.
struct GuardedRange {
  const std::byte* begin;
  const std::byte* end;
  std::array<char, PATH_MAX + 200> sentence;
};
GuardedRange guarded_input;
GuardedRange guarded_output;
std::atomic_flag ending;

void guard(GuardedRange& range, std::span<const std::byte> bytes, const std::filesystem::path& path,
           const char* what) {
  std::snprintf(range.sentence.data(), range.sentence.size(), "xpose: %s: %s\n", path.c_str(),
                what);
  range.begin = bytes.data();
  range.end = bytes.data() + bytes.size();
}

void on_ending_signal(int signal) {
  unlink_pending_output();
  _exit(128 + signal);
}

// Several threads may fault at once: the first speaks. A fault elsewhere is a defect and happens
// again under the default action.
void on_bus_error(int signal, siginfo_t* info, void*) {
  unlink_pending_output();
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  for (const GuardedRange* range : {&guarded_input, &guarded_output}) {
    if (at < range->begin || at >= range->end) continue;
    while (ending.test_and_set()) pause();
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, range->sentence.data(), std::strlen(range->sentence.data()));
    _exit(1);
  }
  ::signal(signal, SIG_DFL);
}

}  // namespace

ExitCleanup::ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    const bool ignored = before_[i].sa_handler == SIG_IGN;
    struct sigaction action {};
    sigfillset(&action.sa_mask);
    if (kSignals[i] == SIGXFSZ) {
      action.sa_handler = SIG_IGN;
    } else if (kSignals[i] == SIGBUS) {
      action.sa_sigaction = on_bus_error;
      action.sa_flags = SA_SIGINFO;
    } else {
      action.sa_handler = on_ending_signal;
    }
    if (!ignored) sigaction(kSignals[i], &action, nullptr);
  }
}

ExitCleanup::~ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  guarded_input = guarded_output = {};
}

void ExitCleanup::guard_input(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  guard(guarded_input, bytes, path, "was cut short while it was read; run again once it is whole");
}

void ExitCleanup::guard_output(std::span<const std::byte> bytes,
                               const std::filesystem::path& path) {
  guard(guarded_output, bytes, path, "a page could not be stored; make room on its disk");
}

}  // namespace xpose::app
