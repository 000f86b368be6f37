/* Its strategy has no launch function. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("null_launch");
static const xpose_strategy strategy = {.size = sizeof(xpose_strategy),
                                        .card = &card,
                                        .quote = plain_quote,
                                        .create = plain_create,
                                        .destroy = plain_destroy};
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("null_launch", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
