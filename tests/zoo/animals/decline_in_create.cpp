// Lies in quote: accepts what it then declines.
#include "../animal.hpp"

struct DeclineInCreate : zoo::Animal {
  DeclineInCreate(const xpose_problem& problem, const xpose::plugin::Config& config)
      : Animal(problem, config) {
    throw xpose::plugin::Unsupported("changed its mind");
  }
};

ZOO_ANIMAL(DeclineInCreate)
