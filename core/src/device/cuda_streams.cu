#include "device/cuda_driver.hpp"
#include "device/cuda_streams.hpp"
#include "process/steps.hpp"

namespace xpose {

cudaStream_t make_cuda_stream(int ordinal, StreamShare share) {
  int last = 0, first = 0;
  check(cudaDeviceGetStreamPriorityRange(&last, &first), "asking for priorities of streams");
  const int priority = share == StreamShare::first_of_half ? first : last;
  try {
    if (share != StreamShare::whole)
      return static_cast<cudaStream_t>(make_half_stream(ordinal, priority));
  } catch (const Denial&) {  // where the driver cannot part the device
  }
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
        "creating a stream");
  return stream;
}

void CudaStreamOrder::follow(cudaStream_t stream, cudaStream_t other) {
  const cudaEvent_t event = take_event();
  const cudaError_t recorded = cudaEventRecord(event, other);
  const cudaError_t waits = recorded == cudaSuccess ? cudaStreamWaitEvent(stream, event) : recorded;
  give_back(event);  // the stream waits for what the event stood for, whatever it stands for next
  check(waits, "ordering two streams");
}

cudaEvent_t CudaStreamOrder::take_event() {
  {
    const std::lock_guard lock(mutex_);
    if (!unused_.empty()) {
      const cudaEvent_t event = unused_.back();
      unused_.pop_back();
      return event;
    }
  }
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
  return event;
}

void CudaStreamOrder::give_back(cudaEvent_t event) {
  const std::lock_guard lock(mutex_);
  unused_.push_back(event);
}

}  // namespace xpose
