// Processes that the kernel has ended for want of memory.
#pragma once

#include <cstdint>
#include <optional>

namespace xpose {

// Since boot, on the whole machine; nothing where the kernel does not say. Costs some 100 us.
std::optional<std::uint64_t> kernel_kills();

}  // namespace xpose
