// Pins the size and the offset of every field of xpose.h, and its numbers.
#include <gtest/gtest.h>
#include <xpose/plugin.h>

#include <cstddef>
#include <xpose/xpose.hpp>

#include "xpose/xpose.h"

namespace {

TEST(CLayout, EveryFieldIsWhereItAlwaysWas) {
#define FIELD(STRUCT, NAME, OFFSET, BYTES)                           \
  EXPECT_EQ(offsetof(STRUCT, NAME), OFFSET##u) << #STRUCT "." #NAME; \
  EXPECT_EQ(sizeof(STRUCT::NAME), BYTES##u) << #STRUCT "." #NAME;
#define SIZE(STRUCT, BYTES) EXPECT_EQ(sizeof(STRUCT), BYTES##u) << #STRUCT;
#include "c_layout.inc"
#undef FIELD
#undef SIZE
}

// No struct has padding, so a field that the table leaves out shows as a gap.
TEST(CLayout, TheTableLeavesNoFieldOut) {
  size_t end = 0;
#define FIELD(STRUCT, NAME, OFFSET, BYTES)        \
  EXPECT_EQ(end, OFFSET##u) << #STRUCT "." #NAME; \
  end = OFFSET + BYTES;
#define SIZE(STRUCT, BYTES)            \
  EXPECT_EQ(end, BYTES##u) << #STRUCT; \
  end = 0;
#include "c_layout.inc"
#undef FIELD
#undef SIZE
}

TEST(CLayout, NumbersThatCallersWereBuiltWith) {
  EXPECT_EQ(XPOSE_C_VERSION, 1u);
  EXPECT_EQ(sizeof(xpose_status_t), 4u);
  EXPECT_EQ(XPOSE_STATUS_OK, 0);
  EXPECT_EQ(XPOSE_STATUS_INVALID, 1);
  EXPECT_EQ(XPOSE_STATUS_NO_STRATEGY, 2);
  EXPECT_EQ(XPOSE_STATUS_DEVICE, 3);
  EXPECT_EQ(XPOSE_STATUS_NO_MEMORY, 4);
  EXPECT_EQ(XPOSE_STATUS_WRONG, 5);
  EXPECT_EQ(XPOSE_STATUS_FAILED, 6);
  EXPECT_EQ(XPOSE_DEVICE_HOST, 1);
  EXPECT_EQ(XPOSE_DEVICE_CUDA, 2);
  EXPECT_EQ(XPOSE_POLICY_MEASURE, 1);
  EXPECT_EQ(XPOSE_POLICY_ESTIMATE, 2);
  EXPECT_EQ(XPOSE_POLICY_CACHED_ONLY, 3);
}

}  // namespace
