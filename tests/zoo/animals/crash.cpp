// Follows a null pointer.
#include "../animal.hpp"

static void crash() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

ZOO_ACT(crash)
