/* Its strategy has no card. */
#include "plain.h"

static const xpose_strategy strategy = {.size = sizeof(xpose_strategy),
                                        .quote = plain_quote,
                                        .create = plain_create,
                                        .launch = plain_launch,
                                        .destroy = plain_destroy};
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("null_card", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
