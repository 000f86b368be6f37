/* Its strategy's name has characters that a command line and a table must not meet. */
#include "plain.h"

static const xpose_card card = PLAIN_CARD("Bad name{tile=64}\n");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("bad_name", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
