// Buffers of a disk: whole pages, which stay with their thread.
#include "run/sector_buffers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>

namespace xpose::app {
namespace {

constexpr std::size_t kBytes = 8192;

TEST(SectorBuffers, LieBesideEachOtherInWholePages) {
  const SectorBuffers buffers(3, kBytes);
  ASSERT_TRUE(buffers);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers[0].data()) % 4096, 0u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(buffers[i].size(), kBytes);
    EXPECT_EQ(buffers[i].data(), buffers[0].data() + i * kBytes);
    buffers[i].back() = std::byte{1};
  }
}

TEST(SectorBuffers, AThreadHasTheSameMemoryAgain) {
  const std::byte* const first = SectorBuffers(4, kBytes)[0].data();
  EXPECT_EQ(SectorBuffers(4, kBytes)[0].data(), first);
  EXPECT_EQ(SectorBuffers(2, kBytes)[0].data(), first);
  const SectorBuffers mine(4, kBytes);
  std::thread([&] { EXPECT_NE(SectorBuffers(4, kBytes)[0].data(), mine[0].data()); }).join();
}

TEST(SectorBuffers, MoreThanThereIsAreNone) {
  EXPECT_FALSE(SectorBuffers(1, std::numeric_limits<std::size_t>::max() / 8192 * 4096));
  EXPECT_TRUE(SectorBuffers(1, kBytes));
}

}  // namespace
}  // namespace xpose::app
