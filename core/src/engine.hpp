// What parts of the library that stand beside the engine need of it.
#pragma once

#include "chooser/chooser.hpp"

namespace xpose {

struct EngineAccess {
  static Chooser& chooser(Engine& engine);
};

}  // namespace xpose
