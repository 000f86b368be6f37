#include "device/memory_name.hpp"

#include <unistd.h>

#include <random>

#include "device/device.hpp"

namespace xpose {

std::array<std::uint64_t, 2> own_process() {
  // With its number, because a child of fork() has what its parent has drawn.
  static const std::uint64_t drawn = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return {drawn, static_cast<std::uint64_t>(::getpid())};
}

MemoryName Backend::name_of(void* memory) {
  if (memory == nullptr) return {};
  return {static_cast<std::byte*>(memory), 0, own_process()};
}

void* Backend::map(const MemoryName& name) {
  return name.process == own_process() ? name.address : nullptr;
}

}  // namespace xpose
