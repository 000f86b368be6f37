// Devices and problems for tests of the cost model.
#pragma once

#include "problem/normal_form.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

inline DeviceInfo device90() {
  DeviceInfo info{};
  info.device = {DeviceKind::cuda, 0};
  info.multiprocessors = 132;
  info.compute_capability = 90;
  info.cache_bytes = 60'000'000;
  return info;
}

inline DeviceInfo host(std::uint32_t processors = 2) {
  DeviceInfo info{};
  info.multiprocessors = processors;
  info.cache_bytes = 32 << 20;
  return info;
}

// A square of so many elements on a device, aligned to so many bytes.
inline Problem square(std::int64_t extent, std::uint32_t bytes, const DeviceInfo& device,
                      std::uint32_t alignment = 256) {
  Problem problem = matrix(extent, extent, bytes, device.device);
  problem.in_alignment = problem.out_alignment = alignment;
  return normal_form(problem);
}

}  // namespace xpose
