/* Two of its strategies share a name. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("twin");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy, &strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("duplicate_names", 2, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
