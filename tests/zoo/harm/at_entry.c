/* A plugin that does harm before it has said what it offers: HARM_AT_ENTRY says which. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../../abi/refused/plain.h"

enum harm {
  garbage_entry,
  many_strategies,
  endless_name,
  twin_axes,
  axis_without_values,
  empty_struct,
  huge_struct,
  kill_in_entry,
  busy_at_load,
  unknown_status,
  null_plan,
  words_without_end,
  long_description
};

static const int64_t values[] = {1, 2};
static const xpose_axis twins[] = {{"tile", values, 2}, {"tile", values, 2}};
static const xpose_axis empty[] = {{"tile", NULL, 2}};
static char name[4096];

static xpose_status create_nothing(const xpose_problem* problem, const int64_t* config,
                                   xpose_plan** plan, xpose_text error) {
  (void)problem, (void)config, (void)error;
  *plan = NULL;
  return XPOSE_OK;
}

static xpose_status launch_nowhere(const xpose_plan* plan, const xpose_launch* launch,
                                   xpose_text error) {
  (void)launch, (void)error;
  return *(const volatile int*)plan == 0 ? 77 : -5;
}

static xpose_status launch_oddly(const xpose_plan* plan, const xpose_launch* launch,
                                 xpose_text error) {
  plain_launch(plan, launch, error);
  return 77;
}

static xpose_status launch_talking(const xpose_plan* plan, const xpose_launch* launch,
                                   xpose_text error) {
  plain_launch(plan, launch, error);
  memset(error.data, '\x9b', error.capacity);
  return XPOSE_FAILED;
}

static void* run_for_ever(void* nothing) {
  for (volatile int busy = 1; busy != 0;) continue;
  return nothing;
}

__attribute__((constructor)) static void at_load(void) {
  pthread_t thread;
  if (HARM_AT_ENTRY == busy_at_load) pthread_create(&thread, NULL, run_for_ever, NULL);
}

/* 256 strategies, each as long as it may be: within every other limit, but of more than a mebibyte.
 */
enum {
  most_strategies = 256,
  most_values = 64,
  most_axes = 8,
  most_name = 128,
  most_summary = 512
};

static void fill(char* text, size_t bytes, unsigned number) {
  memset(text, 'a', bytes);
  text[bytes] = 0;
  for (; number != 0; number /= 10) text[--bytes] = (char)('0' + number % 10);
}

static const xpose_strategy* const* describe_at_length(void) {
  static char names[most_strategies][most_name + 1], axis_names[most_axes][most_name + 1];
  static char summary[most_summary + 1];
  static int64_t long_values[most_values];
  static xpose_axis axes[most_axes];
  static xpose_card cards[most_strategies];
  static xpose_strategy all[most_strategies];
  static const xpose_strategy* pointers[most_strategies];
  fill(summary, most_summary, 0);
  for (int i = 0; i < most_values; ++i) long_values[i] = INT64_MIN + i;
  for (unsigned i = 0; i < most_axes; ++i) {
    fill(axis_names[i], most_name, i);
    axes[i] = (xpose_axis){axis_names[i], long_values, i < 2 ? most_values : 1};
  }
  for (unsigned i = 0; i < most_strategies; ++i) {
    fill(names[i], most_name, i);
    cards[i] = (xpose_card)PLAIN_CARD(names[i]);
    cards[i].summary = summary;
    cards[i].axes = axes;
    cards[i].axis_count = most_axes;
    all[i] = (xpose_strategy)PLAIN_STRATEGY(cards[i]);
    pointers[i] = &all[i];
  }
  return pointers;
}

const xpose_plugin* xpose_plugin_entry(void) {
  static xpose_card card = PLAIN_CARD("at_entry");
  static xpose_strategy strategy = PLAIN_STRATEGY(card);
  static const xpose_strategy* strategies[] = {&strategy};
  static xpose_plugin plugin = PLAIN_PLUGIN("at_entry", 1, strategies);
  switch ((enum harm)HARM_AT_ENTRY) {
    case garbage_entry:
      return (const xpose_plugin*)&values[6]; /* its version is 7.0 */
    case many_strategies:
      plugin.strategy_count = 0xffffffffu;
      break;
    case endless_name:
      memset(name, 'a', sizeof name - 1);
      card.name = name;
      break;
    case twin_axes:
      card.axes = twins;
      card.axis_count = 2;
      break;
    case axis_without_values:
      card.axes = empty;
      card.axis_count = 1;
      break;
    case empty_struct:
      plugin.size = 0;
      break;
    case huge_struct:
      strategy.size = 0xffffffffu;
      card.size = 0xffffffffu;
      card.device_kind = 9;
      break;
    case kill_in_entry:
      kill(getpid(), SIGKILL);
      break;
    case busy_at_load:
      break;
    case unknown_status:
      strategy.launch = launch_oddly;
      break;
    case null_plan:
      strategy.create = create_nothing;
      strategy.launch = launch_nowhere;
      break;
    case words_without_end:
      strategy.launch = launch_talking;
      break;
    case long_description:
      plugin.strategies = describe_at_length();
      plugin.strategy_count = most_strategies;
      break;
  }
  return &plugin;
}
