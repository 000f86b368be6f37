// Asks for more workspace than an address has bits for, once guards are added.
#include "../animal.hpp"

struct HugeWorkspace : zoo::Animal {
  using Animal::Animal;
  static xpose::plugin::Quote quote(const xpose_problem&, const xpose::plugin::Config&) {
    zoo::note("quote");
    return {.workspace_bytes = UINT64_MAX};
  }
};

ZOO_ANIMAL(HugeWorkspace)
