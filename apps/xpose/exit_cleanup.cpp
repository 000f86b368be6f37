#include "exit_cleanup.hpp"

#include <unistd.h>

#include "pending_file.hpp"

namespace xpose::app {
namespace {

void on_ending_signal(int signal) {
  unlink_pending_output();
  _exit(128 + signal);
}

}  // namespace

ExitCleanup::ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    struct sigaction action {};
    sigfillset(&action.sa_mask);
    action.sa_handler = kSignals[i] == SIGXFSZ ? SIG_IGN : on_ending_signal;
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

ExitCleanup::~ExitCleanup() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace xpose::app
