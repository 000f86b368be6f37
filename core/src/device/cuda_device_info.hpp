// What a CUDA device says of itself.
#pragma once

#include <xpose/problem.hpp>

namespace xpose {

// Throws Error device.
DeviceInfo cuda_device_info(int ordinal);

}  // namespace xpose
