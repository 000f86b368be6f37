#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

TEST(VariantText, IsReadAsItIsWritten) {
  const std::vector<std::pair<Variant, std::string>> pairs = {
      {{"naive_row"}, "naive_row"},
      {{"smem_pad", {{"tile", 64}, {"rows", 8}}}, "smem_pad{tile=64,rows=8}"},
      {{"a", {{"b", -1}}}, "a{b=-1}"},
      {{"a", {{"b", Limits::min()}, {"c", Limits::max()}}},
       "a{b=-9223372036854775808,c=9223372036854775807}"}};
  for (const auto& [variant, text] : pairs) {
    EXPECT_EQ(to_string(variant), text);
    EXPECT_EQ(parse_variant(text), variant) << text;
  }
}

TEST(VariantText, AnotherTextIsRefusedWithTheForm) {
  for (const char* text : {"",
                           "{",
                           "}",
                           "{tile=64}",
                           "a{",
                           "a}",
                           "a{}",
                           "a{tile}",
                           "a{tile=}",
                           "a{=64}",
                           "a{tile=x}",
                           "a{tile=64",
                           "a{tile=64}}",
                           "a{tile=64}b",
                           "a{tile=64,}",
                           "a{,tile=64}",
                           "a{tile=64 }",
                           "a{tile=64;rows=8}",
                           "a{tile=6.4}",
                           "a{tile=9223372036854775808}",
                           "a{tile==64}",
                           "a=64",
                           "a,b",
                           "a{{tile=64}"})
    try {
      parse_variant(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid);
      EXPECT_EQ(error.what(), '\'' + std::string(text) +
                                  "' is not a variant: write STRATEGY or "
                                  "STRATEGY{AXIS=VALUE,...} with whole numbers, in quotes on a "
                                  "command line");
    }
}

TEST(VariantText, AForeignTextIsCleanedInTheRefusal) {
  try {
    parse_variant("a{\x1b[31m\n" + std::string(1000, 'x'));
    FAIL();
  } catch (const Error& error) {
    const std::string words = error.what();
    EXPECT_EQ(words.find_first_of("\x1b\n"), std::string::npos);
    EXPECT_LT(words.size(), 300U);
  }
}

}  // namespace
}  // namespace xpose
