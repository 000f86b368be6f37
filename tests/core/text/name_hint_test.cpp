#include "xpose/detail/name_hint.hpp"

#include <gtest/gtest.h>

namespace xpose::detail {
namespace {

std::string hint(std::string_view name, const std::vector<std::string>& names) {
  return name_hint(name, names);
}

TEST(LettersApart, CountsLettersAndSwaps) {
  EXPECT_EQ(letters_apart("tune", "tune"), 0U);
  EXPECT_EQ(letters_apart("tuen", "tune"), 1U);
  EXPECT_EQ(letters_apart("tun", "tune"), 1U);
  EXPECT_EQ(letters_apart("ttune", "tune"), 1U);
  EXPECT_EQ(letters_apart("tane", "tune"), 1U);
  EXPECT_EQ(letters_apart("", "tune"), 4U);
  EXPECT_EQ(letters_apart("tune", ""), 4U);
  EXPECT_EQ(letters_apart("kitten", "sitting"), 3U);
}

TEST(NameHint, IsTheFirstOfTheNearest) {
  EXPECT_EQ(hint("tuen", {"run", "tune"}), "; the nearest name is 'tune'");
  EXPECT_EQ(hint("ran", {"run", "ron"}), "; the nearest name is 'run'");
  EXPECT_EQ(hint("host_blokced_bad", {"host_blocked", "host_blocked_pad"}),
            "; the nearest name is 'host_blocked_pad'");
}

TEST(NameHint, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(hint("fly", {"run", "tune"}), "");
  EXPECT_EQ(hint("", {"run"}), "");
  EXPECT_EQ(hint("run", {"ran", "run"}), "");
  EXPECT_EQ(hint("tune", {}), "");
  EXPECT_EQ(hint(std::string(1000, 'a'), {std::string(999, 'a')}), "");
}

}  // namespace
}  // namespace xpose::detail
