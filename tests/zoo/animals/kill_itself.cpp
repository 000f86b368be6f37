// Is ended by the signal that the kernel's want of memory would send.
#include <csignal>

#include "../animal.hpp"

static void kill_itself() { kill(getpid(), SIGKILL); }

ZOO_ACT(kill_itself)
