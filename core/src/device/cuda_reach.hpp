// Writes of one CUDA device into the memory of another.
#pragma once

namespace xpose {

// Enables them from now on, for all threads of the process. Throws Error device where the machine
// does not connect the two.
void reach_device(int ordinal, int other);

}  // namespace xpose
