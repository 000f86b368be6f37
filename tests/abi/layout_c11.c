/* plugin.h as C11: it compiles alone, and C sees the same layout as C++. */
#include <xpose/plugin.h>

/* A second time, for its guard. */
#include <stddef.h>
#include <xpose/plugin.h>

#define FIELD(STRUCT, NAME, OFFSET, BYTES)                                        \
  _Static_assert(offsetof(STRUCT, NAME) == (OFFSET), #STRUCT "." #NAME " moved"); \
  _Static_assert(sizeof(((STRUCT*)0)->NAME) == (BYTES), #STRUCT "." #NAME " has another size");
#define SIZE(STRUCT, BYTES) _Static_assert(sizeof(STRUCT) == (BYTES), #STRUCT " has another size");
#include "layout.inc"

int xpose_layout_c11(void) { return XPOSE_OK; }
