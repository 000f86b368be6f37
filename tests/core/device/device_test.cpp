#include "device/device.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <memory>
#include <new>
#include <vector>

#include "device/host_machine.hpp"

namespace xpose {
namespace {

TEST(Device, InformationBeginsEmpty) {
  alignas(DeviceInfo) std::array<unsigned char, sizeof(DeviceInfo)> memory;
  for (volatile unsigned char& byte : memory) byte = 0xff;
  auto* const info = new (memory.data()) DeviceInfo;
  EXPECT_EQ(*info, DeviceInfo{});
  std::destroy_at(info);
}

TEST(Device, TheHostIsAlwaysFirst) {
  const std::vector<DeviceInfo> all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().device, (Device{DeviceKind::host, 0}));
  EXPECT_GE(all.front().multiprocessors, 1U);
  EXPECT_GT(all.front().cache_bytes, 0U);
  EXPECT_EQ(cuda_unavailable_reason().empty(), all.size() > 1);
}

// An estimate is the same in every process, whatever processors it may use.
TEST(Device, TheHostHasTheMachinesProcessors) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  const unsigned machine = machine_processors(), usable = usable_processors();
  EXPECT_EQ(devices().front().multiprocessors, machine);
  EXPECT_LE(usable, machine);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(machine_processors(), machine);
  EXPECT_EQ(usable_processors(), 1U);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(usable_processors(), usable);
}

TEST(Device, ParsesNamesAndRefusesOthers) {
  EXPECT_EQ(parse_device("host"), (Device{DeviceKind::host, 0}));
  EXPECT_EQ(parse_device("auto").kind,
            cuda_unavailable_reason().empty() ? DeviceKind::cuda : DeviceKind::host);
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "host:0"}) {
    try {
      parse_device(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid) << text;
    }
  }
  try {
    parse_device("cuda:999");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device);
  }
}

TEST(HostBackend, FindsTheFirstDifference) {
  Backend& host = backend(Device{});
  std::vector<std::byte> a(200000, std::byte{7});
  std::vector<std::byte> b = a;
  EXPECT_FALSE(host.first_difference(a.data(), b.data(), a.size()));
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, a.size() - 1}) {
    b = a;
    b[at] = std::byte{8};
    b.back() = std::byte{9};
    EXPECT_EQ(host.first_difference(a.data(), b.data(), a.size()), at);
  }
}

TEST(DeviceMemory, HoldsWhatWasUploaded) {
  DeviceMemory memory(Device{}, 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 256, 0U);
  const std::vector<char> source(100, 'x');
  std::vector<char> target(100);
  memory.upload(source.data(), 100);
  memory.download(target.data(), 100);
  EXPECT_EQ(source, target);
  EXPECT_THROW(memory.upload(source.data(), 101), Error);
  EXPECT_THROW(memory.download(target.data(), 101), Error);
}

TEST(DeviceMemory, TooMuchIsAnErrorNotACrash) {
  try {
    const DeviceMemory memory(Device{}, std::uint64_t{1} << 62);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_memory);
  }
}

}  // namespace
}  // namespace xpose
