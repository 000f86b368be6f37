#include "output/screen.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

using Lines = std::vector<std::string>;

TEST(Screen, TheTerminalIsAsWideAsColumnsSayOrTheWindowOr80) {
  EXPECT_EQ(terminal_width("100", 120), 100U);
  EXPECT_EQ(terminal_width(nullptr, 120), 120U);
  EXPECT_EQ(terminal_width(nullptr, 0), 80U);
  for (const char* junk : {"", "0", "-5", "wide", "80x", "99999999999999999999999"})
    EXPECT_EQ(terminal_width(junk, 120), 120U) << junk;
  EXPECT_EQ(terminal_width("7", 120), 40U);
}

TEST(Screen, EscapesAreForTerminalsThatAreNotDumb) {
  EXPECT_TRUE(allows_escapes("xterm", nullptr));
  EXPECT_TRUE(allows_escapes(nullptr, ""));
  EXPECT_FALSE(allows_escapes("dumb", nullptr));
  EXPECT_FALSE(allows_escapes("xterm", "1"));
}

TEST(Screen, CharactersOfUtf8AreOneColumn) {
  EXPECT_EQ(width_of("größer"), 6U);
  EXPECT_EQ(head_of("größer", 3), "grö");
  EXPECT_EQ(head_of("abc", 5), "abc");
  EXPECT_EQ(head_of("abc", 0), "");
}

TEST(Screen, LinesBreakAtSpacesAndLineEnds) {
  EXPECT_EQ(wrapped("one two three", 80), Lines({"one two three"}));
  EXPECT_EQ(wrapped("one two three", 7), Lines({"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 6), Lines({"one", "two", "three"}));
  EXPECT_EQ(wrapped("one\n\ntwo three", 5), Lines({"one", "", "two", "three"}));
  EXPECT_EQ(wrapped("  a=1,2  b=3,4", 9), Lines({"  a=1,2", "b=3,4"}));
  EXPECT_EQ(wrapped("-    ", 7), Lines({"-    "}));
  EXPECT_EQ(wrapped("one two ", 7), Lines({"one two"}));
  EXPECT_EQ(wrapped("", 7), Lines({""}));
}

TEST(Screen, AWordThatIsTooLongStaysWholeUnlessItIsToBeSplit) {
  EXPECT_EQ(wrapped("a /home/user/file b", 6), Lines({"a", "/home/user/file", "b"}));
  EXPECT_EQ(wrapped("a /home/user/file b", 6, LongWords::split),
            Lines({"a", "/home/", "user/f", "ile b"}));
  EXPECT_EQ(wrapped("größer", 3, LongWords::split), Lines({"grö", "ßer"}));
}

TEST(Screen, WrappedTextIsIndentedBehindItsFirstLine) {
  EXPECT_EQ(wrapped_text("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped_text("one two three", kNoLimit, 2), "one two three");
  EXPECT_EQ(wrapped_text("\none\n\ntwo", 9, 2), "\n  one\n\n  two");
}

}  // namespace
}  // namespace xpose::app
