/* The strategy my_idea as a caller meets it: my_idea_test FOLDER_OF_THE_PLUGIN. */
#include <stdint.h>
#include <stdio.h>
#include <xpose/xpose.h>

enum { ROWS = 67, COLS = 131 };

int main(int count, char** arguments) {
  static uint32_t in[ROWS][COLS], out[COLS][ROWS];
  if (count != 2) return 2;
  for (uint32_t i = 0; i < ROWS * COLS; ++i) in[i / COLS][i % COLS] = i + 1;

  const char* const folders[] = {arguments[1]}; /* this plugin alone */
  const xpose_engine_options_t options = {
      .size = sizeof options, .plugin_folders = folders, .plugin_folder_count = 1, .forget = 1};
  const int64_t extents[] = {ROWS, COLS};
  const xpose_tensor_t tensor = {
      .size = sizeof tensor, .element_bits = 32, .extents = extents, .rank = 2};
  xpose_engine_t* engine = NULL;
  xpose_plan_t* plan = NULL;
  if (xpose_engine_create(&options, &engine) != XPOSE_STATUS_OK ||
      xpose_prepare(engine, &tensor, NULL, NULL, XPOSE_POLICY_ESTIMATE, NULL, &plan) !=
          XPOSE_STATUS_OK ||
      xpose_execute(plan, in, out, NULL) != XPOSE_STATUS_OK) {
    printf("%s\n", xpose_last_error());
    return 1;
  }
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLS; ++c)
      if (out[c][r] != in[r][c]) {
        printf("%s: element (%d, %d) of the input is not at its place\n", xpose_plan_variant(plan),
               r, c);
        return 1;
      }
  printf("%s is right\n", xpose_plan_variant(plan));
  xpose_plan_destroy(plan);
  xpose_engine_destroy(engine);
  return 0;
}
