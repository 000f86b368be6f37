#include "simulation/simulated_device.hpp"

#include "device/device.hpp"

namespace xpose {

DeviceInfo device_or_simulated(Device device) {
  if (device.ordinal != 0 || !cuda_backends().empty()) return backend(device).info();
  DeviceInfo simulated{};
  simulated.device = device;
  simulated.name = "simulated GPU of compute capability 9.0";
  simulated.id = "simulated";
  simulated.multiprocessors = 132;
  simulated.compute_capability = 90;
  simulated.cache_bytes = 60'000'000;
  return simulated;
}

}  // namespace xpose
