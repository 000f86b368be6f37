/* The refusals of the C API. */
#include <stdlib.h>

#include "c_api_c11.h"

static xpose_status_t prepare(xpose_engine_t* engine, const xpose_tensor_t* from,
                              const xpose_tensor_t* to, const int32_t* axes, int32_t policy) {
  xpose_plan_t* plan = (xpose_plan_t*)engine;
  const xpose_status_t status = xpose_prepare(engine, from, to, axes, policy, NULL, &plan);
  EXPECT((status == XPOSE_STATUS_OK) == (plan != NULL)); /* results are null after a failure */
  xpose_plan_destroy(plan);
  return status;
}

static void refused_tensors(xpose_engine_t* engine) {
  const xpose_tensor_t good = matrix();
  const int32_t estimate = XPOSE_POLICY_ESTIMATE, twice[] = {0, 0}, beyond[] = {0, 2};
  const int64_t negative[] = {ROWS, -1}, huge[] = {INT64_MAX, 2}, still[] = {0, 1};
  const int64_t target[] = {COLS, ROWS};
  xpose_tensor_t bad = good;
  bad.element_bits = 12;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "12 bits");
  bad.element_bits = 0;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "0 bits");
  bad.element_bits = 8 * 257;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "256 bytes");
  bad = good;
  bad.rank = 65; /* of which the caller's arrays have two */
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "65 axes");
  bad.rank = UINT32_MAX;
  EXPECT_REFUSED(xpose_transpose(engine, &bad, in, NULL, out, estimate, NULL), XPOSE_STATUS_INVALID,
                 "4294967295 axes");
  bad = good;
  bad.extents = NULL;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "extents");
  bad.extents = negative;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID,
                 "axis 1 needs an extent of 0 or more, not -");
  bad.extents = huge;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID,
                 "2^63 - 1 elements");
  bad = good;
  bad.device_kind = 7;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "device_kind");
  bad.device_kind = XPOSE_DEVICE_HOST;
  bad.device_ordinal = 1;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "ordinal 0");
  bad.device_kind = XPOSE_DEVICE_CUDA;
  bad.device_ordinal = 99;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_DEVICE, "cuda:99");
  bad = good;
  bad.byte_offset = UINT64_MAX;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "2^56 bytes");
  bad = good;
  bad.alignment = 24;
  EXPECT_REFUSED(prepare(engine, &bad, NULL, NULL, estimate), XPOSE_STATUS_INVALID,
                 "the input's tensor states an alignment of 24 bytes, which is no power of two");
  EXPECT_REFUSED(prepare(engine, &good, NULL, twice, estimate), XPOSE_STATUS_INVALID, "axes");
  EXPECT_REFUSED(prepare(engine, &good, NULL, beyond, estimate), XPOSE_STATUS_INVALID, "axes");
  EXPECT_REFUSED(prepare(engine, &good, &good, NULL, estimate), XPOSE_STATUS_INVALID,
                 "output axis 0 has 37 elements");
  xpose_tensor_t to = good;
  to.extents = target;
  to.strides = still;
  EXPECT_REFUSED(prepare(engine, &good, &to, NULL, estimate), XPOSE_STATUS_INVALID, "overlap");
  to.strides = NULL;
  to.element_bits = 64;
  EXPECT_REFUSED(prepare(engine, &good, &to, NULL, estimate), XPOSE_STATUS_INVALID, "converted");
  to.element_bits = 32;
  to.device_kind = XPOSE_DEVICE_CUDA;
  EXPECT_REFUSED(prepare(engine, &good, &to, NULL, estimate), XPOSE_STATUS_INVALID, "cuda:0");
  to = good;
  to.rank = 1;
  EXPECT_REFUSED(prepare(engine, &good, &to, NULL, estimate), XPOSE_STATUS_INVALID, "2 axes");
  EXPECT_REFUSED(xpose_transpose(engine, &to, in, NULL, out, estimate, NULL), XPOSE_STATUS_INVALID,
                 "two axes");
}

static void refused_calls(xpose_engine_t* engine) {
  const xpose_tensor_t good = matrix();
  const int32_t estimate = XPOSE_POLICY_ESTIMATE;
  xpose_plan_t* plan = NULL;
  xpose_engine_t* none = NULL;
  char* json = NULL;
  EXPECT_REFUSED(prepare(engine, &good, NULL, NULL, 0), XPOSE_STATUS_INVALID, "policy 0");
  EXPECT_REFUSED(xpose_prepare(NULL, &good, NULL, NULL, estimate, NULL, &plan),
                 XPOSE_STATUS_INVALID, "the engine is null");
  EXPECT_REFUSED(prepare(engine, NULL, NULL, NULL, estimate), XPOSE_STATUS_INVALID, "is null");
  EXPECT_REFUSED(xpose_prepare(engine, &good, NULL, NULL, estimate, NULL, NULL),
                 XPOSE_STATUS_INVALID, "is null");
  EXPECT_REFUSED(xpose_execute(NULL, in, out, NULL), XPOSE_STATUS_INVALID, "the plan is null");
  EXPECT_REFUSED(xpose_engine_create(NULL, NULL), XPOSE_STATUS_INVALID, "is null");
  EXPECT_REFUSED(xpose_tune(engine, &good, NULL, NULL, NULL, NULL), XPOSE_STATUS_INVALID, "null");
  EXPECT_REFUSED(xpose_tune(NULL, &good, NULL, NULL, NULL, &json), XPOSE_STATUS_INVALID, "null");
  EXPECT_REFUSED(xpose_transpose(engine, &good, NULL, NULL, out, estimate, NULL),
                 XPOSE_STATUS_INVALID, "null");
  EXPECT_REFUSED(xpose_transpose(engine, &good, NULL, NULL, NULL, estimate, NULL),
                 XPOSE_STATUS_INVALID, "null");
  const xpose_plan_options_t negative = {.size = sizeof negative, .budget_seconds = -1};
  EXPECT_REFUSED(xpose_prepare(engine, &good, NULL, NULL, estimate, &negative, &plan),
                 XPOSE_STATUS_INVALID, "budget_seconds");
  const char* const folders[] = {NULL};
  xpose_engine_options_t options = {.size = sizeof options, .plugin_folder_count = 1};
  EXPECT_REFUSED(xpose_engine_create(&options, &none), XPOSE_STATUS_INVALID, "plugin_folders");
  options.plugin_folders = folders;
  EXPECT_REFUSED(xpose_engine_create(&options, &none), XPOSE_STATUS_INVALID, "is null");
  EXPECT(none == NULL);
  /* Nulls are no-ops, and answers about nothing are empty. */
  xpose_engine_destroy(NULL);
  xpose_plan_destroy(NULL);
  xpose_text_free(NULL);
  EXPECT(strcmp(xpose_plan_variant(NULL), "") == 0 && strcmp(xpose_plan_launch(NULL), "") == 0);
  EXPECT(xpose_plan_is_estimate(NULL) == 0);
}

static void refused_moves(xpose_engine_t* engine) {
  const xpose_tensor_t good = matrix();
  const int32_t estimate = XPOSE_POLICY_ESTIMATE;
  xpose_plan_t* plan = NULL;
  EXPECT_REFUSED(xpose_permute(NULL, &good, in, NULL, out, NULL, estimate, NULL),
                 XPOSE_STATUS_INVALID, "the engine is null");
  EXPECT_REFUSED(xpose_transpose(NULL, &good, in, NULL, out, estimate, NULL), XPOSE_STATUS_INVALID,
                 "the engine is null");
  EXPECT_REFUSED(xpose_permute(engine, NULL, in, NULL, out, NULL, estimate, NULL),
                 XPOSE_STATUS_INVALID, "tensor is null");
  EXPECT_REFUSED(xpose_transpose(engine, NULL, in, NULL, out, estimate, NULL), XPOSE_STATUS_INVALID,
                 "tensor is null");
  EXPECT_REFUSED(xpose_permute(engine, &good, in, NULL, out, NULL, -1, NULL), XPOSE_STATUS_INVALID,
                 "policy -1");
  EXPECT_REFUSED(xpose_permute(engine, &good, in, NULL, in + 1, NULL, estimate, NULL),
                 XPOSE_STATUS_INVALID, "overlap");
  EXPECT_REFUSED(xpose_permute(engine, &good, in, NULL, in, NULL, estimate, NULL),
                 XPOSE_STATUS_INVALID, "");
  EXPECT(xpose_prepare(engine, &good, NULL, NULL, estimate, NULL, &plan) == XPOSE_STATUS_OK);
  EXPECT_REFUSED(xpose_execute(plan, NULL, out, NULL), XPOSE_STATUS_INVALID, "null");
  EXPECT_REFUSED(xpose_execute(plan, in, NULL, NULL), XPOSE_STATUS_INVALID, "null");
  EXPECT_REFUSED(xpose_execute(plan, in, in, NULL), XPOSE_STATUS_INVALID, "one address");
  EXPECT_REFUSED(xpose_execute(plan, in, in + 1, NULL), XPOSE_STATUS_INVALID, "overlap");
  xpose_plan_destroy(plan);
}

static void refused_options(xpose_engine_t* engine) {
  const xpose_tensor_t good = matrix();
  const double none = strtod("nan", NULL);
  xpose_engine_t* made = engine;
  xpose_engine_options_t of_engine = {.size = sizeof of_engine, .stage_seconds = none};
  EXPECT_REFUSED(xpose_engine_create(&of_engine, &made), XPOSE_STATUS_INVALID, "stage_seconds");
  of_engine.stage_seconds = -1;
  EXPECT_REFUSED(xpose_engine_create(&of_engine, &made), XPOSE_STATUS_INVALID, "stage_seconds");
  of_engine.size = 0;
  EXPECT_REFUSED(xpose_engine_create(&of_engine, &made), XPOSE_STATUS_INVALID,
                 "xpose_engine_options_t::size is 0");
  EXPECT(made == NULL);
  xpose_plan_t* plan = NULL;
  xpose_plan_options_t of_plan = {.size = sizeof of_plan, .budget_seconds = none};
  EXPECT_REFUSED(xpose_prepare(engine, &good, NULL, NULL, XPOSE_POLICY_MEASURE, &of_plan, &plan),
                 XPOSE_STATUS_INVALID, "budget_seconds");
  of_plan.size = 1;
  EXPECT_REFUSED(xpose_prepare(engine, &good, NULL, NULL, XPOSE_POLICY_MEASURE, &of_plan, &plan),
                 XPOSE_STATUS_INVALID, "xpose_plan_options_t::size is 1");
  char* json = NULL;
  const char* const no_variant[] = {NULL};
  xpose_tune_options_t of_tune = {
      .size = sizeof of_tune, .variants = no_variant, .variant_count = 1};
  EXPECT_REFUSED(xpose_tune(engine, &good, NULL, NULL, &of_tune, &json), XPOSE_STATUS_INVALID,
                 "a variant is null");
  of_tune.variant_count = 0;
  of_tune.budget_seconds = none;
  EXPECT_REFUSED(xpose_tune(engine, &good, NULL, NULL, &of_tune, &json), XPOSE_STATUS_INVALID,
                 "budget_seconds");
  of_tune.size = UINT32_MAX;
  EXPECT_REFUSED(xpose_tune(engine, &good, NULL, NULL, &of_tune, &json), XPOSE_STATUS_INVALID,
                 "xpose_tune_options_t::size is 4294967295");
  EXPECT_REFUSED(xpose_tune(engine, NULL, NULL, NULL, NULL, &json), XPOSE_STATUS_INVALID, "null");
  EXPECT(json == NULL);
}

/* Structs of callers that were built with an older or a newer header. */
static void sizes(xpose_engine_t* engine) {
  xpose_tensor_t tensor = matrix();
  tensor.size = 0;
  EXPECT_REFUSED(prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE), XPOSE_STATUS_INVALID,
                 "xpose_tensor_t::size is 0");
  tensor.size = UINT32_MAX;
  EXPECT_REFUSED(prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE), XPOSE_STATUS_INVALID,
                 "sizeof(xpose_tensor_t)");
  /* What an older caller did not know is zero. */
  tensor = matrix();
  tensor.size = (uint32_t)((const char*)&tensor.device_kind - (const char*)&tensor);
  tensor.device_kind = tensor.device_ordinal = 77;
  tensor.byte_offset = 77;
  EXPECT(prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE) == XPOSE_STATUS_OK);
  /* What a newer caller knows is served as long as it is not used. */
  struct {
    xpose_tensor_t known;
    uint64_t unknown;
  } newer = {.known = matrix(), .unknown = 0};
  newer.known.size = sizeof newer;
  EXPECT(prepare(engine, &newer.known, NULL, NULL, XPOSE_POLICY_ESTIMATE) == XPOSE_STATUS_OK);
  newer.unknown = 1;
  EXPECT_REFUSED(prepare(engine, &newer.known, NULL, NULL, XPOSE_POLICY_ESTIMATE),
                 XPOSE_STATUS_INVALID, "unknown to this version");
}

void refusals(xpose_engine_t* engine) {
  refused_tensors(engine);
  refused_calls(engine);
  refused_moves(engine);
  refused_options(engine);
  sizes(engine);
}
