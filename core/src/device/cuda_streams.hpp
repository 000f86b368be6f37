// Streams of CUDA devices, and their order.
#pragma once

#include <mutex>
#include <vector>

#include "device/cuda_check.hpp"
#include "device/device.hpp"

namespace xpose {

// As Backend has it, for the device of that ordinal, which is current.
cudaStream_t make_cuda_stream(int ordinal, StreamShare share);

// Of the streams of one device. Its events are made once, because making one waits for other
// threads of the process. They live as long as the process. [any thread]
class CudaStreamOrder {
 public:
  // As Backend has it. The device is current.
  void follow(cudaStream_t stream, cudaStream_t other);

 private:
  cudaEvent_t take_event();
  void give_back(cudaEvent_t event);

  std::mutex mutex_;  // guards what follows
  std::vector<cudaEvent_t> unused_;
};

}  // namespace xpose
