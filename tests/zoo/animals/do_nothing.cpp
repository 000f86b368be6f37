// Is very fast.
#include "../animal.hpp"

struct DoNothing : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch&) const { zoo::note("launch"); }
};

ZOO_ANIMAL(DoNothing)
