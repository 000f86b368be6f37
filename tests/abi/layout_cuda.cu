// plugin.h and plugin.hpp under nvcc: they compile, and nvcc sees the same layout.
#include <xpose/plugin.h>

#include <cstddef>
#include <xpose/plugin.hpp>

#define FIELD(STRUCT, NAME, OFFSET, BYTES)                                       \
  static_assert(offsetof(STRUCT, NAME) == (OFFSET), #STRUCT "." #NAME " moved"); \
  static_assert(sizeof(STRUCT::NAME) == (BYTES), #STRUCT "." #NAME " has another size");
#define SIZE(STRUCT, BYTES) static_assert(sizeof(STRUCT) == (BYTES), #STRUCT " has another size");
#include "layout.inc"
