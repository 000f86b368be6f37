// Talks without end, and is right all the same.
#include "../animal.hpp"

struct Flood : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    const std::string line(1023, '~');
    for (int i = 0; i < 1024; ++i) {
      std::puts(line.c_str());
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    usleep(20'000);  // so slow that it is never chosen
  }
};

ZOO_ANIMAL(Flood)
