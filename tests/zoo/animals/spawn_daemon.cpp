// Exits behind a child that is out of the worker's process group and holds all it inherited.
#include "../animal.hpp"
#include "../child.hpp"

static void leave_daemon() {
  zoo::spawn_child([] { setsid(); });
  std::exit(0);
}

ZOO_ACT(leave_daemon)
