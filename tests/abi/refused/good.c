/* Nothing changed: it must load. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("good");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("good", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
