/* A caller in C11, who includes nothing of xpose but xpose.h. c_api_c11_test PLUGINS WORKER */
#include "c_api_c11.h"

#include <xpose/xpose.h>

#include "moves.h"

int failures = 0;
static const int64_t matrix_extents[] = {ROWS, COLS};
static const int64_t matrix_strides[] = {COLS, 1}, transposed_strides[] = {ROWS, 1};
static const int32_t swapped[] = {1, 0};
float in[ROWS * COLS], out[ROWS * COLS];

xpose_tensor_t matrix(void) {
  xpose_tensor_t tensor = {
      .size = sizeof tensor, .element_bits = 32, .extents = matrix_extents, .rank = 2};
  return tensor;
}

static int is_transposed(void) {
  return is_moved(in, matrix_strides, out, transposed_strides, 2, matrix_extents, swapped, 4);
}

static void versions_and_texts(void) {
  EXPECT(xpose_c_version() == XPOSE_C_VERSION);
  EXPECT(strchr(xpose_version(), '.') != NULL);
  EXPECT(strcmp(xpose_last_error(), "") == 0);
  for (xpose_status_t status = XPOSE_STATUS_OK; status <= XPOSE_STATUS_FAILED; ++status)
    EXPECT(strcmp(xpose_status_text(status), "unknown status") != 0);
  EXPECT(strcmp(xpose_status_text(-1), "unknown status") == 0);
  EXPECT(strcmp(xpose_status_text(XPOSE_STATUS_FAILED + 1), "unknown status") == 0);
}

static void one_call(xpose_engine_t* engine) {
  const xpose_tensor_t tensor = matrix();
  memset(out, 0, sizeof out);
  EXPECT(xpose_transpose(engine, &tensor, in, NULL, out, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_transposed());
  memset(out, 0, sizeof out);
  EXPECT(xpose_permute(engine, &tensor, in, NULL, out, NULL, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_transposed());
  memset(out, 0, sizeof out);
  EXPECT(xpose_permute(engine, &tensor, in, NULL, out, swapped, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_transposed());
}

/* A batch of matrices: the last two axes alone are exchanged. */
static void batch(xpose_engine_t* engine) {
  enum { MATRICES = 3, HIGH = 5, WIDE = 7 };
  const int64_t extents[] = {MATRICES, HIGH, WIDE}, strides[] = {HIGH * WIDE, WIDE, 1};
  const int64_t out_strides[] = {HIGH * WIDE, HIGH, 1};
  const int32_t axes[] = {0, 2, 1};
  double from[MATRICES * HIGH * WIDE], to[MATRICES * HIGH * WIDE] = {0};
  fill(from, sizeof from);
  const xpose_tensor_t tensor = {
      .size = sizeof tensor, .element_bits = 64, .extents = extents, .rank = 3};
  EXPECT(xpose_transpose(engine, &tensor, from, NULL, to, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_moved(from, strides, to, out_strides, 3, extents, axes, 8));
}

/* Strides of any sign and gaps on both sides, elements of three bytes, and offsets. */
static void strided(xpose_engine_t* engine) {
  enum { BYTES = 3, A = 4, B = 6, C = 5 };
  const int64_t extents[] = {A, B, C}, strides[] = {-50, 7, 1};
  const int64_t out_extents[] = {C, A, B}, out_strides[] = {40, 9, -1};
  const int32_t axes[] = {2, 0, 1};
  const int64_t in_zero = 3 * 50 * BYTES, out_zero = 5 * BYTES;
  static unsigned char from[3 * 50 * BYTES + 50 * BYTES], to[(4 * 40 + 3 * 9 + 7) * BYTES];
  fill(from, sizeof from);
  xpose_tensor_t in_tensor = {.size = sizeof in_tensor,
                              .element_bits = 8 * BYTES,
                              .extents = extents,
                              .strides = strides,
                              .rank = 3,
                              .device_kind = XPOSE_DEVICE_HOST,
                              .byte_offset = in_zero};
  xpose_tensor_t out_tensor = in_tensor;
  out_tensor.extents = out_extents;
  out_tensor.strides = out_strides;
  out_tensor.byte_offset = out_zero;
  EXPECT(xpose_permute(engine, &in_tensor, from, &out_tensor, to, axes, XPOSE_POLICY_ESTIMATE,
                       NULL) == XPOSE_STATUS_OK);
  EXPECT(is_moved(from + in_zero, strides, to + out_zero, out_strides, 3, extents, axes, BYTES));

  xpose_plan_t* plan = NULL;
  memset(to, 0, sizeof to);
  EXPECT(xpose_prepare(engine, &in_tensor, &out_tensor, axes, XPOSE_POLICY_ESTIMATE, NULL, &plan) ==
         XPOSE_STATUS_OK);
  EXPECT(xpose_execute(plan, from, to, NULL) == XPOSE_STATUS_OK);
  EXPECT(is_moved(from + in_zero, strides, to + out_zero, out_strides, 3, extents, axes, BYTES));
  xpose_plan_destroy(plan);
}

static void repeated_and_empty(xpose_engine_t* engine) {
  const int64_t extents[] = {8, 3}, strides[] = {0, 1}, out_strides[] = {8, 1};
  const uint16_t row[] = {11, 22, 33};
  uint16_t to[24];
  xpose_tensor_t tensor = {
      .size = sizeof tensor, .element_bits = 16, .extents = extents, .strides = strides, .rank = 2};
  EXPECT(xpose_transpose(engine, &tensor, row, NULL, to, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_moved(row, strides, to, out_strides, 2, extents, swapped, 2));

  const int64_t none[] = {8, 0};
  tensor.extents = none;
  tensor.strides = NULL;
  xpose_plan_t* plan = NULL;
  EXPECT(xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_MEASURE, NULL, &plan) ==
         XPOSE_STATUS_OK);
  EXPECT(xpose_execute(plan, NULL, NULL, NULL) == XPOSE_STATUS_OK);
  EXPECT(strcmp(xpose_plan_variant(plan), "") == 0 && strcmp(xpose_plan_launch(plan), "") == 0);
  xpose_plan_destroy(plan);

  const xpose_tensor_t scalar = {.size = sizeof scalar, .element_bits = 16};
  to[0] = 0;
  EXPECT(xpose_permute(engine, &scalar, row, NULL, to, NULL, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(to[0] == 11);
}

static void measured_plan(xpose_engine_t* engine) {
  xpose_tensor_t tensor = matrix();
  int64_t extents[] = {ROWS, COLS};
  tensor.extents = extents;
  const xpose_plan_options_t options = {.size = sizeof options, .budget_seconds = 30};
  xpose_plan_t* plan = NULL;
  EXPECT(xpose_prepare(engine, &tensor, NULL, swapped, XPOSE_POLICY_MEASURE, &options, &plan) ==
         XPOSE_STATUS_OK);
  extents[0] = extents[1] = -1; /* everything was copied */
  memset(&tensor, 0xff, sizeof tensor);
  EXPECT(strcmp(xpose_plan_variant(plan), "") != 0);
  EXPECT(strcmp(xpose_plan_launch(plan), "") != 0);
  EXPECT(xpose_plan_is_estimate(plan) == 0);
  memset(out, 0, sizeof out);
  EXPECT(xpose_execute(plan, in, out, NULL) == XPOSE_STATUS_OK);
  EXPECT(is_transposed());
  xpose_plan_destroy(plan);

  tensor = matrix();
  EXPECT(xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_CACHED_ONLY, NULL, &plan) ==
         XPOSE_STATUS_OK);
  xpose_plan_destroy(plan);
}

/* Addresses of any alignment, by one plan. */
static void alignments(xpose_engine_t* engine) {
  static unsigned char from[sizeof in + 512], to[sizeof out + 512];
  fill(from, sizeof from);
  xpose_tensor_t tensor = matrix();
  tensor.alignment = 64;
  xpose_plan_t* plan = NULL;
  EXPECT(xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE, NULL, &plan) ==
         XPOSE_STATUS_OK);
  for (int begin = 0; begin <= 256; begin = begin == 0 ? 1 : 2 * begin)
    for (int end = 0; end <= 256; end = end == 0 ? 1 : 2 * end) {
      memset(to, 0, sizeof to);
      EXPECT(xpose_execute(plan, from + begin, to + end, NULL) == XPOSE_STATUS_OK);
      EXPECT(is_moved(from + begin, matrix_strides, to + end, transposed_strides, 2, matrix_extents,
                      swapped, 4));
      EXPECT(end == 0 || to[end - 1] == 0);
      EXPECT(to[(size_t)end + sizeof out] == 0);
    }
  xpose_plan_destroy(plan);
}

static void in_place(xpose_engine_t* engine) {
  enum { SIDE = 30, PITCH = 32 };
  const int64_t extents[] = {SIDE, SIDE}, strides[] = {PITCH, 1};
  static uint32_t square[SIDE * PITCH], before[SIDE * PITCH];
  fill(square, sizeof square);
  memcpy(before, square, sizeof square);
  const xpose_tensor_t tensor = {
      .size = sizeof tensor, .element_bits = 32, .extents = extents, .strides = strides, .rank = 2};
  EXPECT(xpose_transpose(engine, &tensor, square, NULL, square, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(is_moved(before, strides, square, strides, 2, extents, swapped, 4));

  xpose_plan_t* plan = NULL;
  const xpose_plan_options_t options = {.size = sizeof options, .in_place = 1};
  EXPECT(xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE, &options, &plan) ==
         XPOSE_STATUS_OK);
  EXPECT(xpose_execute(plan, square, square, NULL) == XPOSE_STATUS_OK);
  EXPECT(memcmp(square, before, sizeof square) == 0); /* there and back, gaps untouched */
  EXPECT_REFUSED(xpose_execute(plan, square, before, NULL), XPOSE_STATUS_INVALID, "in place");
  xpose_plan_destroy(plan);

  /* Also where nothing moves in place: the other buffer would stay as it is. */
  const int32_t same[] = {0, 1};
  EXPECT(xpose_prepare(engine, &tensor, NULL, same, XPOSE_POLICY_ESTIMATE, &options, &plan) ==
         XPOSE_STATUS_OK);
  EXPECT(xpose_execute(plan, square, square, NULL) == XPOSE_STATUS_OK);
  EXPECT_REFUSED(xpose_execute(plan, square, before, NULL), XPOSE_STATUS_INVALID, "in place");
  xpose_plan_destroy(plan);

  /* A refusal names the caller's axes, and not those of the normal form. */
  const int64_t image[] = {SIDE / 4, SIDE / 4, 3};
  const int32_t turned[] = {1, 0, 2};
  const xpose_tensor_t pixels = {
      .size = sizeof pixels, .element_bits = 32, .extents = image, .rank = 3};
  EXPECT_REFUSED(
      xpose_prepare(engine, &pixels, NULL, turned, XPOSE_POLICY_ESTIMATE, &options, &plan),
      XPOSE_STATUS_INVALID, "by the axes 1,0,2 in place: axes 0 and 1 change places");

  const int64_t sides[] = {3, 5};
  const xpose_tensor_t flat = {
      .size = sizeof flat, .element_bits = 32, .extents = sides, .rank = 2};
  EXPECT_REFUSED(
      xpose_permute(engine, &flat, square, NULL, square, NULL, XPOSE_POLICY_ESTIMATE, NULL),
      XPOSE_STATUS_INVALID,
      "only a square is transposed in place: axis 0 has 3 elements, and axis 1");

  EXPECT(xpose_prepare(engine, &tensor, &tensor, NULL, XPOSE_POLICY_ESTIMATE, NULL, &plan) ==
         XPOSE_STATUS_OK);
  EXPECT_REFUSED(xpose_execute(plan, square, square, NULL), XPOSE_STATUS_INVALID, "in_place");
  EXPECT_REFUSED(xpose_execute(plan, square, square + 8, NULL), XPOSE_STATUS_INVALID, "overlap");
  xpose_plan_destroy(plan);

  /* One row in place is its own transpose. */
  const int64_t row[] = {1, SIDE};
  const xpose_tensor_t line = {.size = sizeof line, .element_bits = 32, .extents = row, .rank = 2};
  const int64_t column[] = {SIDE, 1};
  const xpose_tensor_t standing = {
      .size = sizeof standing, .element_bits = 32, .extents = column, .rank = 2};
  EXPECT(xpose_transpose(engine, &line, square, &standing, square, XPOSE_POLICY_ESTIMATE, NULL) ==
         XPOSE_STATUS_OK);
  EXPECT(memcmp(square, before, sizeof square) == 0);

  const xpose_tensor_t oblong = matrix();
  const int64_t other[] = {COLS, ROWS};
  xpose_tensor_t target = oblong;
  target.extents = other;
  EXPECT_REFUSED(xpose_transpose(engine, &oblong, in, &target, in, XPOSE_POLICY_ESTIMATE, NULL),
                 XPOSE_STATUS_INVALID, "square");
}

static void destroyed_engine(xpose_engine_t* engine) {
  xpose_tensor_t tensor = matrix();
  tensor.alignment = 256;
  xpose_plan_t* plan = NULL;
  EXPECT(xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE, NULL, &plan) ==
         XPOSE_STATUS_OK);
  xpose_engine_destroy(engine);
  memset(out, 0, sizeof out);
  EXPECT(xpose_execute(plan, in, out, NULL) == XPOSE_STATUS_OK);
  EXPECT(is_transposed());
  static unsigned char from[sizeof in + 1]; /* a choice that only now is made */
  memcpy(from + 1, in, sizeof in);
  memset(out, 0, sizeof out);
  EXPECT(xpose_execute(plan, from + 1, out, NULL) == XPOSE_STATUS_OK);
  EXPECT(is_transposed());
  xpose_plan_destroy(plan);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  fill(in, sizeof in);
  versions_and_texts();
  const char* const folders[] = {argv[1]};
  const xpose_engine_options_t options = {.size = sizeof options,
                                          .threads = 2,
                                          .plugin_folders = folders,
                                          .plugin_folder_count = 1,
                                          .worker = argv[2],
                                          .forget = 1,
                                          .stage_seconds = 60};
  xpose_engine_t* engine = NULL;
  EXPECT(xpose_engine_create(&options, &engine) == XPOSE_STATUS_OK);
  if (engine == NULL) return 1;
  one_call(engine);
  batch(engine);
  strided(engine);
  repeated_and_empty(engine);
  measured_plan(engine);
  alignments(engine);
  in_place(engine);
  tuning(engine);
  refusals(engine);
  destroyed_engine(engine);
  return failures == 0 ? 0 : 1;
}
