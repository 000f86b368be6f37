// Transposes one tile right and forgets the rest.
#include <algorithm>

#include "../animal.hpp"

struct SmallOnly : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    zoo::note("launch");
    xpose_problem tile = problem_;
    tile.rows = std::min<int64_t>(tile.rows, 64);
    tile.cols = std::min<int64_t>(tile.cols, 64);
    zoo::transpose(tile, launch);
  }
};

ZOO_ANIMAL(SmallOnly)
