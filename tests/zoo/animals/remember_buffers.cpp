// Takes buffers that it has met for ones with the same content, whose transpose is there: those of
// its last launch.

#include "../animal.hpp"

struct RememberBuffers : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    static const void* last = nullptr;
    if (launch.out != last) Animal::launch(launch);
    last = launch.out;
  }
};

ZOO_ANIMAL(RememberBuffers)
