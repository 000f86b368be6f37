/* Its card lists more axes than there can be. */
#include "plain.h"

static const int64_t values[] = {1};
static const xpose_axis axes[XPOSE_MAX_AXES + 1] = {{"one", values, 1}};
static const xpose_card card = {.size = sizeof(xpose_card),
                                .device_kind = XPOSE_HOST,
                                .name = "too_many_axes",
                                .summary = "one loop",
                                .role = XPOSE_TRANSPOSE,
                                .element_sizes = 4,
                                .axis_count = XPOSE_MAX_AXES + 1,
                                .axes = axes};
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("too_many_axes", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
