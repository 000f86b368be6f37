// Lies in quote: needs no workspace, and uses one.
#include "../animal.hpp"

struct UseUnquotedWorkspace : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    zoo::last_words();
    std::memset(launch.workspace, 0, 64);
  }
};

ZOO_ANIMAL(UseUnquotedWorkspace)
