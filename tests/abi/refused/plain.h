/* A plugin in plain C, in parts: each file beside this one puts them together with one thing
 * changed. The strategy is one loop over host elements of 4 bytes. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdlib.h>
#include <string.h>
#include <xpose/plugin.h>

static inline xpose_status plain_quote(const xpose_problem* problem, const int64_t* config,
                                       xpose_quote* quote, xpose_text error) {
  (void)problem, (void)config, (void)error;
  memcpy(quote->launch, "one loop", sizeof "one loop");
  return XPOSE_OK;
}

static inline xpose_status plain_create(const xpose_problem* problem, const int64_t* config,
                                        xpose_plan** plan, xpose_text error) {
  (void)config, (void)error;
  xpose_problem* const own = malloc(sizeof *own);
  if (own == NULL) return XPOSE_NO_MEMORY;
  *own = *problem;
  *plan = (xpose_plan*)own;
  return XPOSE_OK;
}

static inline xpose_status plain_launch(const xpose_plan* plan, const xpose_launch* launch,
                                        xpose_text error) {
  (void)error;
  const xpose_problem* const own = (const xpose_problem*)plan;
  for (int64_t r = 0; r < own->rows; ++r)
    for (int64_t c = 0; c < own->cols; ++c)
      memcpy((char*)launch->out + (c * own->out_ld + r) * 4,
             (const char*)launch->in + (r * own->in_ld + c) * 4, 4);
  return XPOSE_OK;
}

static inline void plain_destroy(xpose_plan* plan) { free(plan); }

#define PLAIN_CARD(NAME)                                                                        \
  {                                                                                             \
    .size = sizeof(xpose_card), .device_kind = XPOSE_HOST, .name = NAME, .summary = "one loop", \
    .role = XPOSE_TRANSPOSE, .element_sizes = 4, .min_alignment = 1, .prior_rank = 9000         \
  }

#define PLAIN_STRATEGY(CARD)                                                                       \
  {                                                                                                \
    .size = sizeof(xpose_strategy), .card = &(CARD), .quote = plain_quote, .create = plain_create, \
    .launch = plain_launch, .destroy = plain_destroy                                               \
  }

#define PLAIN_PLUGIN(NAME, COUNT, STRATEGIES)                                                 \
  {                                                                                           \
    .abi_major = XPOSE_ABI_MAJOR, .abi_minor = XPOSE_ABI_MINOR, .size = sizeof(xpose_plugin), \
    .strategy_count = COUNT, .name = NAME, .version = "1.0", .build = "C11",                  \
    .strategies = STRATEGIES                                                                  \
  }

XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry(void);

#endif
