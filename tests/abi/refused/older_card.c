/* Built when a card ended before axis_count: what lies beyond its size is not the card's, must not
 * be read, and reads as zero. It must load, without axes. */
#include <stddef.h>

#include "plain.h"

static xpose_card card = PLAIN_CARD("older_card");
static const xpose_strategy strategy = PLAIN_STRATEGY(card);
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = PLAIN_PLUGIN("older_card", 1, strategies);

const xpose_plugin* xpose_plugin_entry(void) {
  card.size = offsetof(xpose_card, axis_count);
  card.axis_count = 9999;
  card.axes = (const xpose_axis*)(uintptr_t)0x5A5A5A5A;
  return &plugin;
}
