/* What the files of the caller in C11 share. */
#ifndef XPOSE_TESTS_C_API_C11_H
#define XPOSE_TESTS_C_API_C11_H

#include <stdio.h>
#include <string.h>
#include <xpose/xpose.h>

extern int failures;

#define EXPECT(condition)                                    \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      printf("  the last error: %s\n", xpose_last_error());  \
      ++failures;                                            \
    }                                                        \
  } while (0)

/* The call fails with this status, and its text has these words. */
#define EXPECT_REFUSED(call, status, words)              \
  do {                                                   \
    EXPECT((call) == (status));                          \
    EXPECT(strstr(xpose_last_error(), (words)) != NULL); \
  } while (0)

enum { ROWS = 37, COLS = 53 };
extern float in[ROWS * COLS], out[ROWS * COLS];

/* Of `in`, dense. */
xpose_tensor_t matrix(void);

/* Reports, and the calls that they make on the way. */
void tuning(xpose_engine_t* engine);

/* Wrong calls: each has its status and its sentence. */
void refusals(xpose_engine_t* engine);

#endif
