// Never comes back.
#include "../animal.hpp"

static void hang() {
  for (;;) pause();
}

ZOO_ACT(hang)
