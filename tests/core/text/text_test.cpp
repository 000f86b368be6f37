#include <gtest/gtest.h>

#include <vector>
#include <xpose/xpose.hpp>

namespace xpose {
namespace {

using namespace std::string_literals;

TEST(OneLine, LeavesWhatIsPrintable) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("tiles of 64 x 64, \"quoted\""), "tiles of 64 x 64, \"quoted\"");
  const std::string text = "é€\xf0\x9f\x98\x80 日本";
  EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, HasNoControls) {
  EXPECT_EQ(one_line("a\x1b[31mb\r\nc\td\0e\x7f"s), "a [31mb  c d e ");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            " 31m");  // U+009B is a terminal's CSI in 8 bits
  EXPECT_EQ(one_line("a\xe2\x80\xa8"
                     "b\xe2\x80\xa9"
                     "c"),
            "a b c");  // U+2028, U+2029
}

TEST(OneLine, TurnsNoDirection) {
  const std::vector<std::string> marks = {"\xd8\x9c",      // U+061C
                                          "\xe2\x80\x8e",  // U+200E, U+200F
                                          "\xe2\x80\x8f",
                                          "\xe2\x80\xaa",  // U+202A to U+202E
                                          "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad",
                                          "\xe2\x80\xae",
                                          "\xe2\x81\xa6",  // U+2066 to U+2069
                                          "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
  for (const std::string& mark : marks) EXPECT_EQ(one_line("gpj" + mark + ".exe"), "gpj?.exe");
}

TEST(OneLine, IsUtf8) {
  EXPECT_EQ(one_line("a\x80z"), "a?z");
  EXPECT_EQ(one_line("\xc0\xaf"), "??");            // a slash in two bytes
  EXPECT_EQ(one_line("\xc0\x9b"), "??");            // ESC in two bytes
  EXPECT_EQ(one_line("\xe0\x80\x9b"), "???");       // ESC in three
  EXPECT_EQ(one_line("\xed\xa0\x80"), "???");       // half a surrogate pair
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "????");  // behind the last code
  EXPECT_EQ(one_line("cut\xf0\x9f\x98"), "cut???");
}

TEST(OneLine, IsCutBetweenCharacters) {
  EXPECT_EQ(one_line("12345678", 8), "12345678");
  EXPECT_EQ(one_line("123456789", 8), "12345...");
  EXPECT_EQ(one_line("1234€€", 8), "1234...");
  EXPECT_EQ(one_line("12€€€", 8), "12€...");
  EXPECT_EQ(one_line(std::string(1 << 20, 'x')).size(), 2048U);
}

}  // namespace
}  // namespace xpose
