/* Tuning by the C API. */
#include "c_api_c11.h"

struct heard {
  int steps, asked, ends;
  int has_verified, has_measured;
};

static void hear(void* context, const char* stage, uint64_t done, uint64_t total) {
  struct heard* heard = context;
  ++heard->steps;
  heard->has_verified |= strcmp(stage, "verify") == 0;
  heard->has_measured |= strcmp(stage, "measure") == 0;
  if (done > total) heard->steps = -1000000;
}

static int32_t end_it(void* context) {
  struct heard* heard = context;
  ++heard->asked;
  return heard->ends;
}

void tuning(xpose_engine_t* engine) {
  const char* const variants[] = {"host_blocked_pad{pad=1}", "host_blocked{tile=32}"};
  const xpose_tensor_t tensor = matrix();
  struct heard heard = {0};
  xpose_tune_options_t options = {.size = sizeof options,
                                  .budget_seconds = 30,
                                  .max_rounds = 2,
                                  .every_strategy = 1,
                                  .variants = variants,
                                  .variant_count = 2,
                                  .progress = hear,
                                  .interrupted = end_it,
                                  .context = &heard};
  char* json = NULL;
  EXPECT(xpose_tune(engine, &tensor, NULL, NULL, &options, &json) == XPOSE_STATUS_OK);
  EXPECT(json != NULL && strstr(json, "\"schema\": \"xpose.tune/1\"") != NULL);
  EXPECT(json != NULL && strstr(json, "\"variant\": \"host_blocked{tile=32}\"") != NULL);
  EXPECT(json != NULL && strstr(json, "host_simd") == NULL);
  EXPECT(json != NULL && strstr(json, "\"interrupted\": false") != NULL);
  EXPECT(heard.steps > 0 && heard.asked > 0 && heard.has_verified && heard.has_measured);
  xpose_text_free(json);

  heard.ends = 1;
  EXPECT(xpose_tune(engine, &tensor, NULL, NULL, &options, &json) == XPOSE_STATUS_OK);
  EXPECT(json != NULL && strstr(json, "\"interrupted\": true") != NULL);
  xpose_text_free(json);

  const char* const malformed[] = {"host_blocked{"};
  options.variants = malformed;
  options.variant_count = 1;
  json = (char*)variants;
  EXPECT(xpose_tune(engine, &tensor, NULL, NULL, &options, &json) == XPOSE_STATUS_INVALID);
  EXPECT(json == NULL);
  const char* const missing[] = {"no_such_strategy"};
  options.variants = missing;
  EXPECT_REFUSED(xpose_tune(engine, &tensor, NULL, NULL, &options, &json), XPOSE_STATUS_NO_STRATEGY,
                 "no_such_strategy");
  options.variants = NULL;
  EXPECT_REFUSED(xpose_tune(engine, &tensor, NULL, NULL, &options, &json), XPOSE_STATUS_INVALID,
                 "variants is null");
}
