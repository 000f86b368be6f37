/* A plugin in plain C whose strategies tell an observer by hand what a kernel would do: blocks of
 * one warp, each moving 32 elements of 4 bytes of a row, loads coalesced and stores a column. Each
 * strategy does one more thing, in the line that bears its name. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <xpose/plugin.h>

enum {
  RIGHT,
  RACY,
  UNINITIALISED,
  FAULTY,
  OVERRUNNING,
  PAST_ARRAY,
  DIVERGENT,
  WRONG,
  DECLINING,
  FAILING
};

static xpose_status quote(const xpose_problem* problem, const int64_t* config, xpose_quote* quoted,
                          xpose_text error) {
  (void)config;
  if (problem->rows == 13) {
    snprintf(error.data, error.capacity, "13 rows bring bad luck");
    return XPOSE_UNSUPPORTED;
  }
  quoted->workspace_bytes = 64;
  snprintf(quoted->launch, sizeof quoted->launch, "by hand on %u multiprocessors",
           problem->multiprocessors);
  return XPOSE_OK;
}

static xpose_status create(const xpose_problem* problem, const int64_t* config, xpose_plan** plan,
                           xpose_text error) {
  (void)problem, (void)config, (void)plan;
  snprintf(error.data, error.capacity, "only its simulator runs");
  return XPOSE_DEVICE_ERROR;
}

static xpose_status launch(const xpose_plan* plan, const xpose_launch* launch, xpose_text error) {
  (void)plan, (void)launch, (void)error;
  return XPOSE_DEVICE_ERROR;
}

static void destroy(xpose_plan* plan) { (void)plan; }

/* Tells of one access of the warp in which lane i is at first + i * stride. Its caller's line is
 * the access's. */
__attribute__((noinline)) static void tell(const xpose_observer* observer, uint32_t space,
                                           uint32_t kind, uint64_t first, uint64_t stride,
                                           uint32_t lanes) {
  xpose_access access = {.size = sizeof access, .space = space, .kind = kind, .lane_bytes = 4};
  access.site = __builtin_return_address(0);
  access.lanes = lanes;
  for (uint64_t lane = 0; lane < 32; ++lane) access.address[lane] = first + lane * stride;
  observer->access(observer->context, &access);
  __asm__ volatile("");
}

__attribute__((noinline)) static xpose_status fault(const xpose_observer* observer, uint32_t what,
                                                    uint32_t access, const char* text) {
  const xpose_fault one = {sizeof one, what, __builtin_return_address(0), 0, 5, access, text};
  observer->fault(observer->context, &one);
  return XPOSE_FAILED;
}

static xpose_status run(int what, const xpose_problem* problem, const xpose_launch* launch,
                        const xpose_observer* observer, xpose_text error) {
  if (what == DECLINING || what == FAILING) {
    snprintf(error.data, error.capacity, "bulk tensor copies do not run here");
    return what == DECLINING ? XPOSE_UNSUPPORTED : XPOSE_FAILED;
  }
  if (launch->workspace == NULL || observer->region_count != 3) return XPOSE_INVALID;
  const uint32_t groups = (uint32_t)((problem->cols + 31) / 32);
  const xpose_kernel kernel = {sizeof kernel, 0,  "by_hand", {groups, (uint32_t)problem->rows, 1},
                               {32, 1, 1},    128};
  observer->kernel(observer->context, &kernel);
  for (uint32_t block = 0; block < groups * kernel.grid[1]; ++block) {
    const int64_t row = block / groups, col = block % groups * 32;
    const int64_t count = problem->cols - col < 32 ? problem->cols - col : 32;
    const uint32_t lanes = count == 32 ? ~0u : (1u << count) - 1;
    const char* const in = (const char*)launch->in + (row * problem->in_ld + col) * 4;
    char* const out = (char*)launch->out + (col * problem->out_ld + row) * 4;
    observer->block(observer->context, block);
    tell(observer, XPOSE_GLOBAL, XPOSE_LOAD, (uint64_t)in, 4, lanes);
    if (what != UNINITIALISED) tell(observer, XPOSE_SHARED, XPOSE_STORE, 0, 4, lanes);
    if (what != RACY) observer->barrier(observer->context, NULL, XPOSE_ALL_WARPS);
    const uint64_t next = what == RACY ? 4 : 0; /* the word of the next lane */
    tell(observer, XPOSE_SHARED, XPOSE_LOAD, next, 4, lanes >> next / 4); /* RACE, UNINITIALISED */
    if (what == FAULTY)
      return fault(observer, XPOSE_OUT_OF_BOUNDS, XPOSE_LOAD, "read past it"); /* FAULTY */
    if (what == OVERRUNNING)
      return fault(observer, XPOSE_OUT_OF_BOUNDS, XPOSE_STORE, "wrote past it"); /* OVERRUNNING */
    if (what == PAST_ARRAY)
      return fault(observer, XPOSE_OUT_OF_BOUNDS, 0, "index 4"); /* PAST_ARRAY */
    if (what == DIVERGENT)
      return fault(observer, XPOSE_DIVERGENT_BARRIER, 0, "12 of 32"); /* DIVERGENT */
    for (int64_t i = 0; i < count; ++i)
      if (what != WRONG || row + col + i != 0) memcpy(out + i * problem->out_ld * 4, in + i * 4, 4);
    tell(observer, XPOSE_GLOBAL, XPOSE_STORE, (uint64_t)out, (uint64_t)problem->out_ld * 4, lanes);
  }
  return XPOSE_OK;
}

#define STRATEGY(NAME, WHAT)                                                                   \
  static xpose_status trace_##NAME(const xpose_problem* problem, const int64_t* config,        \
                                   const xpose_launch* launch, const xpose_observer* observer, \
                                   xpose_text error) {                                         \
    (void)config;                                                                              \
    return run(WHAT, problem, launch, observer, error);                                        \
  }                                                                                            \
  static const xpose_card card_##NAME = {.size = sizeof(xpose_card),                           \
                                         .device_kind = XPOSE_CUDA,                            \
                                         .name = "traced_" #NAME,                              \
                                         .summary = "by hand",                                 \
                                         .role = XPOSE_TRANSPOSE,                              \
                                         .element_sizes = 4,                                   \
                                         .axis_count = 1,                                      \
                                         .axes = &axis};                                       \
  static const xpose_strategy NAME = {                                                         \
      sizeof(xpose_strategy), 0, &card_##NAME, quote, create, launch, destroy, trace_##NAME}

static const int64_t values[] = {7, 9};
static const xpose_axis axis = {"luck", values, 2};

STRATEGY(right, RIGHT);
STRATEGY(racy, RACY);
STRATEGY(uninitialised, UNINITIALISED);
STRATEGY(faulty, FAULTY);
STRATEGY(overrunning, OVERRUNNING);
STRATEGY(past_array, PAST_ARRAY);
STRATEGY(divergent, DIVERGENT);
STRATEGY(wrong, WRONG);
STRATEGY(declining, DECLINING);
STRATEGY(failing, FAILING);

static const xpose_card card_without = {.size = sizeof(xpose_card),
                                        .device_kind = XPOSE_CUDA,
                                        .name = "traced_without",
                                        .summary = "no simulator",
                                        .role = XPOSE_TRANSPOSE,
                                        .element_sizes = 4};
static const xpose_strategy without = {
    sizeof(xpose_strategy), 0, &card_without, quote, create, launch, destroy, NULL};

static const xpose_strategy* const strategies[] = {
    &right,     &racy,  &uninitialised, &faulty,  &overrunning, &past_array,
    &divergent, &wrong, &declining,     &failing, &without};
static const xpose_plugin plugin = {XPOSE_ABI_MAJOR,
                                    XPOSE_ABI_MINOR,
                                    sizeof(xpose_plugin),
                                    sizeof strategies / sizeof *strategies,
                                    "traced",
                                    "1.0",
                                    "C11",
                                    strategies};

XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry(void);
const xpose_plugin* xpose_plugin_entry(void) { return &plugin; }
