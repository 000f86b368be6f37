/* Its card serves less than nothing. */
#include "plain.h"

static const xpose_card card = {.size = sizeof(xpose_card),
                                .device_kind = XPOSE_HOST,
                                .name = "negative_extent",
                                .summary = "one loop",
                                .role = XPOSE_TRANSPOSE,
                                .element_sizes = 4,
                                .max_extent = -1};
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("negative_extent", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
