/* Built for a later minor version, whose structs have fields this one does not know: it must load.
 */
#include "plain.h"

typedef struct newer_card {
  xpose_card known;
  uint64_t appended[4];
} newer_card;

typedef struct newer_strategy {
  xpose_strategy known;
  void (*appended)(void);
} newer_strategy;

typedef struct newer_plugin {
  xpose_plugin known;
  const char* appended;
} newer_plugin;

static newer_card card = {PLAIN_CARD("newer_minor"), {~0ull, ~0ull, ~0ull, ~0ull}};
static newer_strategy strategy = {PLAIN_STRATEGY(card.known), NULL};
static const xpose_strategy* const strategies[] = {&strategy.known};
static newer_plugin plugin = {PLAIN_PLUGIN("newer_minor", 1, strategies), "appended"};

const xpose_plugin* xpose_plugin_entry(void) {
  card.known.size = sizeof card;
  strategy.known.size = sizeof strategy;
  plugin.known.size = sizeof plugin;
  plugin.known.abi_minor = XPOSE_ABI_MINOR + 5;
  return &plugin.known;
}
