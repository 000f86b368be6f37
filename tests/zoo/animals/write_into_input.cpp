// Changes a byte of the input.
#include "../animal.hpp"

struct WriteIntoInput : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    zoo::flip(launch.in);
  }
};

ZOO_ANIMAL(WriteIntoInput)
