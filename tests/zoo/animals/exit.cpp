// Ends the process as if all were well.
#include "../animal.hpp"

static void leave() { std::exit(0); }

ZOO_ACT(leave)
