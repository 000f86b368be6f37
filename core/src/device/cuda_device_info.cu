#include <fstream>
#include <string>

#include "device/cuda_check.hpp"
#include "device/cuda_device_info.hpp"

namespace xpose {
namespace {

// As nvidia-smi prints it.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    constexpr const char* kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

// "580.159.04" where the kernel module tells, else the CUDA version that the driver supports.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  int version = 0;
  check(cudaDriverGetVersion(&version), "asking for the driver's version");
  return "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace

DeviceInfo cuda_device_info(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties");
  DeviceInfo info{};
  info.device = {DeviceKind::cuda, ordinal};
  info.name = properties.name;
  info.id = uuid_text(properties.uuid);
  info.driver = driver_version();
  info.multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount);
  info.compute_capability = static_cast<std::uint32_t>(10 * properties.major + properties.minor);
  info.cache_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  info.memory_bytes = properties.totalGlobalMem;
  return info;
}

}  // namespace xpose
