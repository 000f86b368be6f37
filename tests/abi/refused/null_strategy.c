/* The second of its strategies is null. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("before_null");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy, NULL};
static const xpose_plugin plugin = PLAIN_PLUGIN("null_strategy", 2, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
