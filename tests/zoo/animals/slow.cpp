// Right, and so slow that it is chosen only where nothing else is.
#include "../animal.hpp"

struct Slow : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    usleep(20'000);
  }
};

ZOO_ANIMAL(Slow)
