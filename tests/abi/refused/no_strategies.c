/* A plugin that offers nothing. */
#include "plain.h"

static const xpose_plugin plugin = PLAIN_PLUGIN("no_strategies", 0, NULL);

const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
