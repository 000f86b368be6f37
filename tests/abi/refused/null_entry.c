/* Its entry returns null. */
#include "plain.h"

const xpose_plugin* xpose_plugin_entry(void) { return NULL; }
