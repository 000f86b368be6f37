// Writes into the channel between the worker and its host.
#include "../animal.hpp"

static void babble() {
  constexpr std::string_view noise = "{\"verdict\":\"ok\"}\n";
  if (write(3, noise.data(), noise.size()) < 0) std::perror("descriptor 3");
}

ZOO_ACT(babble)
