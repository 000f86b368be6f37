#include "output/exit_cleanup.hpp"

#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "output/temporary_file.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

// Read by the handler. Behind a line of progress, and behind "^C", it begins a line of its own.
std::array<char, PATH_MAX + 200> sentence = {"xpose: interrupted\n"};

// Room for the few calls of:
alignas(16) std::array<std::byte, std::size_t{64} << 10> heir_stack;
pid_t deceased = 0;

// The last owner of a file or of memory releases it at its end, and its parent waits for that: a
// second for a few gigabytes of an output without a name. So a process of the same memory stays
// behind with these files alone, and is the last owner of both.
int inherit(void*) {
  constexpr timespec kMoment = {0, 1'000'000};
  if (close_all_but_temporary_files())
    while (getppid() == deceased) nanosleep(&kMoment, nullptr);
  _exit(0);
}

}  // namespace

ExitCleanup::ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    struct sigaction action {};
    sigfillset(&action.sa_mask);
    if (kSignals[i] == SIGXFSZ)
      action.sa_handler = SIG_IGN;
    else
      action.sa_handler = [](int signal) { end(signal); };
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

ExitCleanup::~ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void ExitCleanup::set_last_words(std::string_view words) {
  const std::string text = words.empty() ? "" : ": " + one_line(words);
  std::snprintf(sentence.data(), sentence.size(), "xpose: interrupted%s\n", text.c_str());
}

void ExitCleanup::end(int signal) noexcept {
  unlink_temporary_files();
  const bool newline = isatty(STDERR_FILENO) != 0;
  [[maybe_unused]] auto written = write(STDERR_FILENO, "\n", newline ? 1 : 0);
  written = write(STDERR_FILENO, sentence.data(), std::strlen(sentence.data()));
  deceased = getpid();
  clone(inherit, heir_stack.data() + heir_stack.size(), CLONE_VM, nullptr);
  _exit(128 + signal);
}

}  // namespace xpose::app
