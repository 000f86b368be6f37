#include "exit_cleanup.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <string>

#include "temporary_file.hpp"

namespace xpose::app {
namespace {

// Read by the handler. Behind a line of progress, and behind "^C", it begins a line of its own.
std::array<char, PATH_MAX + 200> sentence = {"xpose: interrupted\n"};

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
  const std::string text = words.empty() ? "" : ": " + std::string(words);
  std::snprintf(sentence.data(), sentence.size(), "xpose: interrupted%s\n", text.c_str());
}

void ExitCleanup::end(int signal) noexcept {
  unlink_temporary_files();
  const bool newline = isatty(STDERR_FILENO) != 0;
  [[maybe_unused]] auto written = write(STDERR_FILENO, "\n", newline ? 1 : 0);
  written = write(STDERR_FILENO, sentence.data(), std::strlen(sentence.data()));
  _exit(128 + signal);
}

}  // namespace xpose::app
