#include "simulation/model_device.hpp"

#include "device/device.hpp"

namespace xpose {

DeviceInfo device_or_model(Device device) {
  if (device.ordinal != 0 || !cuda_backends().empty()) return backend(device).info();
  DeviceInfo model{};
  model.device = device;
  model.name = "model of compute capability 9.0";
  model.id = "model";
  model.multiprocessors = 132;
  model.compute_capability = 90;
  model.cache_bytes = 60'000'000;
  return model;
}

}  // namespace xpose
