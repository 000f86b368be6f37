// The engine's functions for parts of the library that stand beside it.
#pragma once

#include "chooser/chooser.hpp"

namespace xpose {

struct EngineAccess {
  static Chooser& chooser(Engine& engine);
};

}  // namespace xpose
