#include "process/environment.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace xpose {
namespace {

TEST(Environment, NamesWhatIsSetAndNotEmpty) {
  ASSERT_EQ(setenv("XPOSE_ENVIRONMENT_TEST", "value", 1), 0);
  EXPECT_STREQ(environment("XPOSE_ENVIRONMENT_TEST"), "value");
  ASSERT_EQ(setenv("XPOSE_ENVIRONMENT_TEST", "", 1), 0);
  EXPECT_EQ(environment("XPOSE_ENVIRONMENT_TEST"), nullptr);
  ASSERT_EQ(unsetenv("XPOSE_ENVIRONMENT_TEST"), 0);
  EXPECT_EQ(environment("XPOSE_ENVIRONMENT_TEST"), nullptr);
}

TEST(Environment, IsIgnoredInAPrivilegedProcess) {
  EXPECT_FALSE(is_privileged());
  if (geteuid() != 0) GTEST_SKIP() << "only root can take on another effective user";
  ASSERT_EQ(setenv("XPOSE_ENVIRONMENT_TEST", "value", 1), 0);
  for (const bool group : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      if ((group ? setegid(65534) : seteuid(65534)) != 0) _exit(2);
      _exit(is_privileged() && environment("XPOSE_ENVIRONMENT_TEST") == nullptr ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << (group ? "group" : "user");
  }
}

}  // namespace
}  // namespace xpose
