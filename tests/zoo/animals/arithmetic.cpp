// Right, as long as 1 times an element is that element: it says that it does arithmetic.
#include "../animal.hpp"

struct Arithmetic : zoo::Animal {
  using Animal::Animal;
  static xpose::plugin::Card card() {
    xpose::plugin::Card card = Animal::card();
    card.role = XPOSE_NUMERIC;
    return card;
  }
};

ZOO_ANIMAL(Arithmetic)
