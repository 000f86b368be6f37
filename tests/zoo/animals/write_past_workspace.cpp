// Changes the byte after its workspace.
#include "../animal.hpp"

struct WritePastWorkspace : zoo::Animal {
  static constexpr uint64_t kBytes = 256;

  using Animal::Animal;
  static xpose::plugin::Quote quote(const xpose_problem&, const xpose::plugin::Config&) {
    zoo::note("quote");
    return {.workspace_bytes = kBytes};
  }
  void launch(const xpose_launch& launch) const {
    Animal::launch(launch);
    zoo::flip(static_cast<char*>(launch.workspace) + kBytes);
  }
};

ZOO_ANIMAL(WritePastWorkspace)
