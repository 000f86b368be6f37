// Never comes back, and is deaf to every signal that can be ignored or blocked.
#include <csignal>

#include "../animal.hpp"

static void hang() {
  sigset_t all;
  sigfillset(&all);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

ZOO_ACT(hang)
