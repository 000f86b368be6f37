/* It calls a function that nobody defines: found out when it is loaded, not at the call. */
#include "plain.h"

void xpose_test_function_that_nobody_defines(void);

const xpose_plugin* xpose_plugin_entry(void) {
  xpose_test_function_that_nobody_defines();
  return NULL;
}
