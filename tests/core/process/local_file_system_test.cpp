#include "process/local_file_system.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

TEST(LocalFileSystem, IsAKnownOne) {
  EXPECT_FALSE(on_local_file_system("/proc"));
  EXPECT_FALSE(on_local_file_system("/proc/none"));
}

}  // namespace
}  // namespace xpose
