// Writes of one CUDA device into the memory of another, of this process or of another one.
#pragma once

#include "device/device.hpp"

namespace xpose {

// Enables them from now on, for all threads of the process. Throws Error device where the machine
// does not connect the two.
void reach_device(int ordinal, int other);

// As Backend has them, for the device of that ordinal, which is current.
MemoryName cuda_name_of(void* memory, int ordinal);
void* map_cuda_memory(const MemoryName& name, int ordinal);
void unmap_cuda_memory(const MemoryName& name, void* begin) noexcept;

}  // namespace xpose
