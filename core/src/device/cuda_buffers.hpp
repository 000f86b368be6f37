// Buffers of any size on a CUDA device, filled and compared where they lie.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "device/device.hpp"

namespace xpose {

void copy_to_device(void* device, const void* host, std::uint64_t bytes);
void copy_from_device(void* host, const void* device, std::uint64_t bytes);

// Of the device that is current. Functions are as those of Backend. [any thread]
class CudaBuffers {
 public:
  explicit CudaBuffers(std::uint32_t multiprocessors) : multiprocessors_(multiprocessors) {}

  std::optional<std::uint64_t> first_difference(const void* a, const void* b, std::uint64_t bytes);
  void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) const;
  std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                          std::uint64_t from, std::uint64_t to);
  void set_spots(const Spots& spots) const;
  std::optional<std::uint32_t> wrong_spot(const Spots& spots);

 private:
  unsigned blocks_for(std::uint64_t bytes) const;
  template <class Start, class OnTheHost>
  std::optional<std::uint64_t> least(const Start& start, const OnTheHost& on_the_host);

  const std::uint32_t multiprocessors_;
  std::mutex mutex_;                     // guards what follows
  unsigned long long* least_ = nullptr;  // kept, as the backend is
};

}  // namespace xpose
