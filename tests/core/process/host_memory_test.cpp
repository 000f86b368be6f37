#include "xpose/detail/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace xpose::detail {
namespace {

constexpr std::size_t kBytes = 100000;

// Whether a child of this process ends well.
template <class Body>
bool child_does(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(HostMemoryTest, OtherProcessesReadAndWriteIt) {
  const auto memory = HostMemory::make(kBytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 64, 0U);
  EXPECT_EQ(std::count(memory->data(), memory->data() + kBytes, std::byte{0}),
            static_cast<std::ptrdiff_t>(kBytes));
  memory->data()[kBytes - 1] = std::byte{1};
  EXPECT_TRUE(child_does([&] {
    const auto opened = HostMemory::open(memory->name(), kBytes);
    if (opened == nullptr || opened->data() == memory->data()) return false;
    opened->data()[0] = std::byte{2};
    return opened->data()[kBytes - 1] == std::byte{1};
  }));
  EXPECT_EQ(memory->data()[0], std::byte{2});
}

TEST(HostMemoryTest, ItStaysForThoseThatHaveItAndOpensForNoneOnceItsFileIsClosed) {
  auto memory = HostMemory::make(kBytes);
  const HostMemory::Name name = memory->name();
  const auto opened = HostMemory::open(name, kBytes);
  ASSERT_NE(opened, nullptr);
  memory->data()[7] = std::byte{4};
  memory->close_file();
  EXPECT_EQ(HostMemory::open(name, kBytes), nullptr);
  memory = nullptr;
  EXPECT_EQ(opened->data()[7], std::byte{4});
}

}  // namespace
}  // namespace xpose::detail
