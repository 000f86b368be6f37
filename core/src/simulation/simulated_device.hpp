// The device that the simulator takes where the machine has none.
#pragma once

#include "xpose/xpose.hpp"

namespace xpose {

// The CUDA device's figures if this machine has it, else those of the simulated device: compute
// capability 9.0, 132 multiprocessors, a cache of 60 MB. Throws Error device for a number that the
// machine's devices do not reach.
DeviceInfo device_or_simulated(Device device);

}  // namespace xpose
