/* The strategy my_idea: bands of columns, in plain C. */
#include <stdio.h>
#include <stdlib.h>
#include <xpose/plugin.h>

struct xpose_plan { /* the plugin's own: what launch needs */
  int64_t rows, cols, in_ld, out_ld, band;
};

static xpose_status quote(const xpose_problem* problem, const int64_t* config, xpose_quote* quote,
                          xpose_text error) {
  if (problem->cols < config[0] && config[0] != 64) {
    snprintf(error.data, error.capacity, "band=%d is wider than the input", (int)config[0]);
    return XPOSE_UNSUPPORTED;
  }
  snprintf(quote->launch, sizeof quote->launch, "bands of %d columns", (int)config[0]);
  return XPOSE_OK;
}

static xpose_status create(const xpose_problem* problem, const int64_t* config, xpose_plan** plan,
                           xpose_text error) {
  *plan = malloc(sizeof **plan);
  if (*plan == NULL) {
    snprintf(error.data, error.capacity, "no memory for a plan");
    return XPOSE_NO_MEMORY;
  }
  **plan = (xpose_plan){problem->rows, problem->cols, problem->in_ld, problem->out_ld, config[0]};
  return XPOSE_OK;
}

static xpose_status launch(const xpose_plan* plan, const xpose_launch* launch, xpose_text error) {
  (void)error;
  const uint32_t* const in = launch->in;
  uint32_t* const out = launch->out;
  for (int64_t first = 0; first < plan->cols; first += plan->band)
    for (int64_t r = 0; r < plan->rows; ++r)
      for (int64_t c = first; c < plan->cols && c < first + plan->band; ++c)
        out[c * plan->out_ld + r] = in[r * plan->in_ld + c];
  return XPOSE_OK;
}

static void destroy(xpose_plan* plan) { free(plan); }

static const int64_t bands[] = {64, 256};
static const xpose_axis axes[] = {{"band", bands, 2}};
static const xpose_card card = {.size = sizeof card,
                                .device_kind = XPOSE_HOST,
                                .name = "my_idea",
                                .summary = "bands of input columns",
                                .role = XPOSE_TRANSPOSE,
                                .element_sizes = 4,
                                .prior_rank = 1000,
                                .axis_count = 1,
                                .axes = axes};
static const xpose_strategy strategy = {.size = sizeof strategy,
                                        .card = &card,
                                        .quote = quote,
                                        .create = create,
                                        .launch = launch,
                                        .destroy = destroy};
static const xpose_strategy* const strategies[] = {&strategy};
static const xpose_plugin plugin = {.abi_major = XPOSE_ABI_MAJOR,
                                    .abi_minor = XPOSE_ABI_MINOR,
                                    .size = sizeof plugin,
                                    .strategy_count = 1,
                                    .name = "my_idea",
                                    .version = "1.0",
                                    .build = "C11",
                                    .strategies = strategies};

XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
