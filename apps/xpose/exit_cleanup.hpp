// What a signal must do before it ends `xpose run`: remove the half-written output.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>

namespace xpose::app {

// While it lives, SIGINT, SIGTERM and SIGHUP remove the pending output and exit with 128 + signal,
// and a SIGBUS inside a guarded range does so with a sentence on stderr and exit code 1. Signals
// that the parent had ignored stay so. A file that passes the size limit fails with EFBIG. One at a
// time in a process.
class ExitCleanup {
 public:
  ExitCleanup();
  ExitCleanup(const ExitCleanup&) = delete;  // restores once
  ExitCleanup& operator=(const ExitCleanup&) = delete;
  ~ExitCleanup();

  // The ranges of a file mapping whose pages may turn out to be gone.
  void guard_input(std::span<const std::byte> bytes, const std::filesystem::path& path);
  void guard_output(std::span<const std::byte> bytes, const std::filesystem::path& path);

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGBUS, SIGXFSZ};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace xpose::app
