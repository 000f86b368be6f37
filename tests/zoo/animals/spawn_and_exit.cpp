// Exits behind a child that holds all it inherited: no pipe of the worker ever closes.
#include "../animal.hpp"
#include "../child.hpp"

static void leave_child() {
  zoo::spawn_child([] {});
  std::exit(0);
}

ZOO_ACT(leave_child)
