// SIGINT while something is measured: the first asks to finish, the second ends the process.
#pragma once

#include <signal.h>

namespace xpose::app {

// Handles SIGINT while it lives, unless the parent had it ignored. One at a time in a process.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;  // restores once
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  static bool met();  // since the process began

  static constexpr int kExitCode = 130;

 private:
  struct sigaction before_ {};
};

}  // namespace xpose::app
