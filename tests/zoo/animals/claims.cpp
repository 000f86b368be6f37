// A plain loop whose quote says that it moves whole lines past the caches, as fast as a copy, in
// each of its 64 configs: an author who fills in figures that are too good. `slowly`: a launch also
// takes a good part of any budget.
#include "../animal.hpp"

using namespace xpose::plugin;

struct Claims : zoo::Animal {
  static Card card() {
    Card card = Animal::card();
    card.axes = {{"tile", {1, 2, 3, 4, 5, 6, 7, 8}}, {"unroll", {1, 2, 3, 4, 5, 6, 7, 8}}};
    return card;
  }

  static Quote quote(const Problem&, const Config&) {
    return {.launch = "wild",
            .demand = {.load_run = 4096, .store_run = 4096, .traits = XPOSE_QUOTE_UNCACHED_STORES}};
  }

  using Animal::Animal;

  void launch(const Launch& launch) const {
    zoo::transpose(problem_, launch);
    if (std::string_view(ZOO_STAGE) == "slowly") usleep(60'000);
  }
};

ZOO_ANIMAL(Claims)
