#include <gtest/gtest.h>
#include <stdlib.h>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

class ImposedPolicy : public testing::Test {
 protected:
  ~ImposedPolicy() override { unsetenv("XPOSE_POLICY"); }
  static void set(const char* word) { setenv("XPOSE_POLICY", word, 1); }
  static Engine engine() {
    return Engine({.plugin_folders = {XPOSE_PLUGINS}, .in_process = true, .remember = false});
  }
};

TEST_F(ImposedPolicy, EachWordNamesItsPolicy) {
  EXPECT_EQ(imposed_policy(), std::nullopt);
  set("");
  EXPECT_EQ(imposed_policy(), std::nullopt);
  set("measure");
  EXPECT_EQ(imposed_policy(), Policy::measure);
  set("estimate");
  EXPECT_EQ(imposed_policy(), Policy::estimate);
  set("cached_only");
  EXPECT_EQ(imposed_policy(), Policy::cached_only);
}

TEST_F(ImposedPolicy, AnotherWordIsRefusedByTheEngine) {
  set("Estimate");
  try {
    engine();
    FAIL() << "the word was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    EXPECT_STREQ(error.what(),
                 "XPOSE_POLICY is 'Estimate', which names no policy; set it to measure, estimate "
                 "or cached_only, or unset it");
  }
}

TEST_F(ImposedPolicy, TransposeTakesIt) {
  const std::vector<float> in(70 * 80, 1);
  std::vector<float> out(in.size());
  const Problem problem = matrix(70, 80, 4);
  set("cached_only");
  Engine strict = engine();
  unsetenv("XPOSE_POLICY");
  EXPECT_THROW(strict.transpose(in.data(), out.data(), problem, nullptr, Policy::estimate), Error);
  Engine free = engine();
  free.transpose(in.data(), out.data(), problem, nullptr, Policy::estimate);
  EXPECT_EQ(out, in);  // all ones
}

}  // namespace
}  // namespace xpose
