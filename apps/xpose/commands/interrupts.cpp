#include "commands/interrupts.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "output/exit_cleanup.hpp"

namespace xpose::app {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int signal) {
  if (interrupts != 0) ExitCleanup::end(signal);
  const int error = errno;  // of the interrupted call
  interrupts = 1;
  constexpr std::string_view kWords =
      "\nxpose: interrupted: the trial in progress is finished first; interrupt again to end at "
      "once\n";
  const bool newline = isatty(STDERR_FILENO) != 0;  // behind "^C" and a line of progress
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, kWords.data() + (newline ? 0 : 1), kWords.size() - (newline ? 0 : 1));
  errno = error;
}

}  // namespace

Interrupts::Interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
}

Interrupts::~Interrupts() { sigaction(SIGINT, &before_, nullptr); }
bool Interrupts::met() { return interrupts != 0; }

}  // namespace xpose::app
