#include "output/excerpt.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

TEST(Excerpt, ShowsCharactersAndEscapesControls) {
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("b h w -> w é → 日"), "b h w -> w é → 日");
  EXPECT_EQ(excerpt("a\tb\r\n\x1b[31m\x7f"), "a\\tb\\r\\n\\x1b[31m\\x7f");
  EXPECT_EQ(excerpt(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(excerpt("a\xff\xe2\x80\xae"), "a??");  // no UTF-8; turns the direction
}

TEST(Excerpt, CutsWholeCharacters) {
  EXPECT_EQ(excerpt(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(excerpt(std::string(61, 'a')), std::string(57, 'a') + "...");
  EXPECT_EQ(excerpt(std::string(56, 'a') + "→→"), std::string(56, 'a') + "...");
  EXPECT_LE(excerpt(std::string(100000, '\t')).size(), 60U);
}

}  // namespace
}  // namespace xpose::app
