/* The plugin itself has a name of other characters. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("fine");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("../bad", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
