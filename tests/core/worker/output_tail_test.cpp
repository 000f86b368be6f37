#include "worker/output_tail.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xpose {
namespace {

using namespace std::string_literals;

std::string line_of(std::string_view bytes) {
  OutputTail tail;
  tail.add(bytes);
  return tail.line();
}

TEST(OutputTail, JoinsLines) {
  EXPECT_EQ(line_of(""), "");
  EXPECT_EQ(line_of("\n \n"), "");
  EXPECT_EQ(line_of("one"), "one");
  EXPECT_EQ(line_of("\none\n\n  two\r\nthree four\n"), "one | two | three four");
}

TEST(OutputTail, LeavesNoControlCharacters) {
  EXPECT_EQ(line_of("\x1b[31mred\tor\0not\x7f!"s), "[31mred or not !");
  EXPECT_EQ(line_of("next\xc2\x85line"), "next line");  // U+0085
}

TEST(OutputTail, IsAlwaysUtf8) {
  const std::string text = "é€\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf";
  EXPECT_EQ(line_of(text), text);
  const std::vector<std::string> wrong = {
      "\x80", "\xc1\xbf",         "\xe0\x9f\xbf",     "\xed\xa0\x80",
      "\xff", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe2\x82"};
  for (const std::string& bytes : wrong)
    EXPECT_EQ(line_of("a" + bytes + "b"), "a" + std::string(bytes.size(), '?') + "b");
  EXPECT_EQ(line_of("a\xe2\x82"), "a??");
}

TEST(OutputTail, KeepsTheEnd) {
  OutputTail tail;
  for (int i = 0; i < 10'000; ++i) tail.add(std::to_string(i) + "\n");
  const std::string line = tail.line();
  EXPECT_EQ(line.size(), OutputTail::kLimit);
  EXPECT_TRUE(line.ends_with("9998 | 9999")) << line;

  tail.add(std::string(100'000, 'x') + "end");
  EXPECT_EQ(tail.line(), std::string(OutputTail::kLimit - 3, 'x') + "end");
}

TEST(OutputTail, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "€";
  const std::string end = text.substr(text.size() - OutputTail::kLimit / 3 * 3);
  EXPECT_EQ(line_of(text), end);
  OutputTail tail;
  for (char byte : text) tail.add({&byte, 1});
  EXPECT_EQ(tail.line(), end);
}

}  // namespace
}  // namespace xpose
