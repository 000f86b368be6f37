// Changes the byte after the output.
#include "../animal.hpp"

struct WriteAfterOutput : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    zoo::flip(output_end(launch));
  }
};

ZOO_ANIMAL(WriteAfterOutput)
