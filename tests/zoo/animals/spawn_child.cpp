// Leaves a child behind that holds all it inherited, and is right all the same.
#include "../animal.hpp"
#include "../child.hpp"

struct SpawnChild : zoo::Animal {
  SpawnChild(const xpose_problem& problem, const xpose::plugin::Config& config)
      : Animal(problem, config) {
    zoo::spawn_child([] {});
  }
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    usleep(20'000);  // so slow that it is never chosen
  }
};

ZOO_ANIMAL(SpawnChild)
