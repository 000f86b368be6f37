// Is right while it is verified and calibrated, and very fast from then on.
#include <atomic>

#include "../animal.hpp"

struct RightAtFirst : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    static std::atomic<int> launches = 0;
    if (launches++ < 2) Animal::launch(launch);
  }
};

ZOO_ANIMAL(RightAtFirst)
