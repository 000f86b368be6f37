// Pins the size and the offset of every field of plugin.h.
#include <gtest/gtest.h>
#include <xpose/plugin.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace {

TEST(Layout, EveryFieldIsWhereItAlwaysWas) {
#define FIELD(STRUCT, NAME, OFFSET, BYTES)                           \
  EXPECT_EQ(offsetof(STRUCT, NAME), OFFSET##u) << #STRUCT "." #NAME; \
  EXPECT_EQ(sizeof(STRUCT::NAME), BYTES##u) << #STRUCT "." #NAME;
#define SIZE(STRUCT, BYTES) EXPECT_EQ(sizeof(STRUCT), BYTES##u) << #STRUCT;
#include "layout.inc"
#undef FIELD
#undef SIZE
}

// No struct has padding, so a field that the table leaves out shows as a gap.
TEST(Layout, TheTableLeavesNoFieldOut) {
  size_t end = 0;
#define FIELD(STRUCT, NAME, OFFSET, BYTES)        \
  EXPECT_EQ(end, OFFSET##u) << #STRUCT "." #NAME; \
  end = OFFSET + BYTES;
#define SIZE(STRUCT, BYTES)            \
  EXPECT_EQ(end, BYTES##u) << #STRUCT; \
  end = 0;
#include "layout.inc"
#undef FIELD
#undef SIZE
}

TEST(Layout, NumbersThatPluginsWereBuiltWith) {
  EXPECT_EQ(XPOSE_ABI_MAJOR, 2u);
  EXPECT_EQ(XPOSE_MAX_BATCH_RANK, 62u);
  EXPECT_EQ(XPOSE_MAX_AXES, 8u);
  EXPECT_EQ(XPOSE_MAX_AXIS_VALUES, 64u);
  EXPECT_EQ(XPOSE_FAT_SIZES, 32u);
  EXPECT_EQ(XPOSE_MAX_ELEMENT_BYTES, 256u);
  EXPECT_STREQ(XPOSE_ENTRY_SYMBOL, "xpose_plugin_entry");
  EXPECT_EQ(sizeof(xpose_status), 4u);
  EXPECT_EQ(XPOSE_OK, 0);
  EXPECT_EQ(XPOSE_UNSUPPORTED, 1);
  EXPECT_EQ(XPOSE_INVALID, 2);
  EXPECT_EQ(XPOSE_NO_MEMORY, 3);
  EXPECT_EQ(XPOSE_DEVICE_ERROR, 4);
  EXPECT_EQ(XPOSE_FAILED, 5);
  EXPECT_EQ(XPOSE_HOST, 1);
  EXPECT_EQ(XPOSE_CUDA, 2);
  EXPECT_EQ(XPOSE_TRANSPOSE, 1);
  EXPECT_EQ(XPOSE_COPY, 2);
  EXPECT_EQ(XPOSE_EXPERIMENT, 3);
  EXPECT_EQ(XPOSE_NUMERIC, 4);
  EXPECT_EQ(XPOSE_TRAIT_IN_PLACE, 1u);
  EXPECT_EQ(XPOSE_TRAIT_CAPTURABLE, 2u);
  EXPECT_EQ(XPOSE_TRAIT_PERMUTES, 4u);
  EXPECT_EQ(XPOSE_QUOTE_UNCACHED_STORES, 1u);
}

}  // namespace
