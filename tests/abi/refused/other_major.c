/* Built for another major version of the ABI, whose plugin struct looks different past the first
 * three fields: the rest is filled with what must not be followed. */
#include "plain.h"

typedef struct other_plugin {
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t size;
  uint32_t words[64];
} other_plugin;

static other_plugin plugin = {.abi_major = 7, .abi_minor = 3, .size = sizeof(other_plugin)};

const xpose_plugin* xpose_plugin_entry(void) {
  memset(plugin.words, 0x5A, sizeof plugin.words);
  return (const xpose_plugin*)&plugin;
}
