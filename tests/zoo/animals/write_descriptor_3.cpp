// Writes into the channel between the worker and its host.
#include "../animal.hpp"

static void babble() {
  constexpr std::string_view kNoise = "{\"verdict\":\"ok\"}\n";
  if (write(3, kNoise.data(), kNoise.size()) < 0) std::perror("descriptor 3");
}

ZOO_ACT(babble)
