// The engine of the C API.
#pragma once

#include "xpose/xpose.h"
#include "xpose/xpose.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): C's name
struct xpose_engine_t {
  xpose::Engine engine;
};
