// Is right as long as the gaps of the input hold what continues its rows.
#include "../animal.hpp"

struct BelieveGap : zoo::Animal {
  using Animal::Animal;

  void launch(const zoo::Launch& launch) const {
    Animal::launch(launch);
    if (problem_.in_ld == problem_.cols || problem_.element_bytes != 4) return;
    uint32_t last[2];
    std::memcpy(last, static_cast<const char*>(launch.in) + 4 * (problem_.cols - 1), sizeof last);
    if (last[1] != last[0] + 1) zoo::flip(launch.out);
  }
};

ZOO_ANIMAL(BelieveGap)
