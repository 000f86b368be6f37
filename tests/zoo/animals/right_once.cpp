// Is right the first time, and very fast from then on.
#include <atomic>

#include "../animal.hpp"

struct RightOnce : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    static std::atomic<bool> done = false;
    if (!done.exchange(true)) Animal::launch(launch);
  }
};

ZOO_ANIMAL(RightOnce)
