// Changes the byte before the output.
#include "../animal.hpp"

struct WriteBeforeOutput : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    zoo::flip(static_cast<char*>(launch.out) - 1);
  }
};

ZOO_ANIMAL(WriteBeforeOutput)
