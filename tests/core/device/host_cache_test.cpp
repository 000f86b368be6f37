#include "device/host_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace xpose {
namespace {

// How long it takes says whether lines were dropped, and is for benchmarks; what they hold must
// stay.
TEST(HostCache, DroppingKeepsEveryByte) {
  std::vector<std::byte> bytes(8 << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  const std::vector<std::byte> before = bytes;
  for (const std::size_t first : {0, 1, 63, 64, 4095})
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65},
                                   std::size_t{4096}, bytes.size() - 5000}) {
      const std::span<const std::byte> part(bytes.data() + first, size);
      drop_from_caches(part);
      ASSERT_TRUE(bytes == before) << size << " bytes from " << first;
    }
}

TEST(HostCache, IsDroppedWhereTheProcessorCan) {
  bool can = false;
  std::ifstream info("/proc/cpuinfo");
  for (std::string word; info >> word;) can = can || word == "clflushopt";
#if !defined(__x86_64__)
  can = false;
#endif
  const std::vector<std::byte> bytes(1000);
  EXPECT_EQ(drop_from_caches(bytes), can);
}

}  // namespace
}  // namespace xpose
