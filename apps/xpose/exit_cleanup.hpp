// What a signal must do before it ends `xpose run`: remove the half-written output.
#pragma once

#include <signal.h>

#include <array>

namespace xpose::app {

// While it lives, SIGINT, SIGTERM and SIGHUP remove the pending output and exit with 128 + signal.
// Signals that the parent had ignored stay so. A file that passes the size limit fails with EFBIG.
// One at a time in a process.
class ExitCleanup {
 public:
  ExitCleanup();
  ExitCleanup(const ExitCleanup&) = delete;  // restores once
  ExitCleanup& operator=(const ExitCleanup&) = delete;
  ~ExitCleanup();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace xpose::app
