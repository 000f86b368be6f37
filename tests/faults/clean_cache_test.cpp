// Cleaning the host's cache makes measurements fairer; without memory for it they go on.
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "failing_allocator.hpp"

namespace xpose {
namespace {

TEST(CleanCache, IsLeftOutWhereThereIsNoMemoryForIt) {
  Backend& host = backend(Device{});
  // More than is dropped line by line, and so never looked at.
  const std::byte one{};
  const std::span<const std::byte> many(&one, 2 * host.info().cache_bytes);
  const std::int64_t before = live_allocations();
  {
    const FailAllocation failure(1, Failing::from_then_on);
    EXPECT_NO_THROW(host.clean_cache({many, many}));
    EXPECT_EQ(failure.calls(), 1U);
  }
  EXPECT_EQ(live_allocations(), before);
  host.clean_cache({many});  // now there is
  EXPECT_EQ(live_allocations(), before + 1);
  host.clean_cache({many});
  EXPECT_EQ(live_allocations(), before + 1);
}

}  // namespace
}  // namespace xpose
