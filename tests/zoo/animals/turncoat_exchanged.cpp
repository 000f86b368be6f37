// What the turncoat's file becomes once it has been tried.
#include "../animal.hpp"

struct Exchanged : zoo::Animal {
  using Animal::Animal;
  static xpose::plugin::Card card() {
    xpose::plugin::Card card = Animal::card();
    card.name = "turncoat";
    return card;
  }
  void launch(const xpose_launch&) const { zoo::note("launch"); }
};

XPOSE_PLUGIN("turncoat", "1.0", Exchanged)
