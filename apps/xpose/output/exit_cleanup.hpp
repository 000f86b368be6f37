// The work of a signal before it ends the command: to remove temporary files, and to say so.
#pragma once

#include <signal.h>

#include <array>
#include <string_view>

namespace xpose::app {

// While it lives, SIGINT, SIGTERM and SIGHUP remove temporary files, say a word on stderr and exit
// with 128 + signal, at once, whatever the threads do and however much there is to release: a
// process that stays behind does that. Signals that the parent had ignored stay so.
// A file that passes the size limit fails with EFBIG. One at a time in a process.
class ExitCleanup {
 public:
  ExitCleanup();
  ExitCleanup(const ExitCleanup&) = delete;  // restores once
  ExitCleanup& operator=(const ExitCleanup&) = delete;
  ~ExitCleanup();

  // The words behind "interrupted: "; "" for nothing more.
  static void set_last_words(std::string_view words);

  // For other handlers. [signal safe]
  [[noreturn]] static void end(int signal) noexcept;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace xpose::app
