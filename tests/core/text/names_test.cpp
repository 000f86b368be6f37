#include "text/names.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

TEST(Names, EveryVerdictHasItsOwnName) {
  EXPECT_EQ(to_string(Verdict::ok), "ok");
  EXPECT_EQ(to_string(Verdict::wrote_outside), "wrote_outside");
  EXPECT_EQ(to_string(Verdict::read_outside), "read_outside");
  EXPECT_EQ(to_string(Verdict::load_refused), "load_refused");
}

TEST(Names, VerdictIsReadBackFromItsName) {
  for (int value = 0; value <= static_cast<int>(Verdict::load_refused); ++value)
    EXPECT_EQ(parse_verdict(to_string(Verdict(value))), Verdict(value));
  EXPECT_EQ(parse_verdict("melted"), std::nullopt);
  EXPECT_EQ(parse_verdict(""), std::nullopt);
}

TEST(Names, LoadedVersionIsTheHeaders) { EXPECT_STREQ(version(), XPOSE_VERSION); }

}  // namespace
}  // namespace xpose
