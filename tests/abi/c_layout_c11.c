/* xpose.h as C11: it compiles alone, C sees the same layout as C++, and plugin.h may follow. */
#include <xpose/xpose.h>

/* A second time, for its guard. */
#include <stddef.h>
#include <xpose/plugin.h>
#include <xpose/xpose.h>

#define FIELD(STRUCT, NAME, OFFSET, BYTES)                                        \
  _Static_assert(offsetof(STRUCT, NAME) == (OFFSET), #STRUCT "." #NAME " moved"); \
  _Static_assert(sizeof(((STRUCT*)0)->NAME) == (BYTES), #STRUCT "." #NAME " has another size");
#define SIZE(STRUCT, BYTES) _Static_assert(sizeof(STRUCT) == (BYTES), #STRUCT " has another size");
#include "c_layout.inc"

int xpose_c_layout_c11(void) { return XPOSE_STATUS_OK; }
