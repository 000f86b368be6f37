// The properties of a CUDA device.
#pragma once

#include <xpose/problem.hpp>

namespace xpose {

// Throws Error device.
DeviceInfo cuda_device_info(int ordinal);

}  // namespace xpose
