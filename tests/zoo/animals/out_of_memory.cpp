// Finds no memory when it is launched.
#include "../animal.hpp"

struct OutOfMemory : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    throw std::bad_alloc();
  }
};

ZOO_ANIMAL(OutOfMemory)
