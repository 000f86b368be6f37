#include <xpose/cuda.hpp>

#include "slots.hpp"
#include "transpose.cuh"

namespace staged {
namespace {

// The runtime remembers an error until it is asked, and the next launch would be blamed.
void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) cudaGetLastError();
  xpose::plugin::check_cuda(status, what);
}

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

bool is_pinned(const void* address) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, address), "asking whose memory the caller's is");
  return attributes.type == cudaMemoryTypeHost;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "staged needs a CUDA device");
  return device;
}

// Calls body(begin, offset in the slot) for each rectangle.
template <class Body>
void for_each_matrix(const Rows& rows, const Body& body) {
  for (int64_t matrix = 0; matrix < rows.matrices; ++matrix)
    body(rows.begin + matrix * rows.stride, matrix * rows.matrix_bytes());
}

size_t size(int64_t bytes) { return static_cast<size_t>(bytes); }

}  // namespace

void free_device(void* memory) { cudaFree(memory); }
void free_pinned(void* memory) { cudaFreeHost(memory); }
void destroy_stream(void* stream) { cudaStreamDestroy(stream_of(stream)); }
void destroy_event(void* event) { cudaEventDestroy(event_of(event)); }

OnDevice::OnDevice(int device) : before_(current_device()), device_(device) {
  if (before_ != device_) check(cudaSetDevice(device_), "making the plan's GPU current");
}

OnDevice::~OnDevice() {
  if (before_ != device_) cudaSetDevice(before_);
}

Slots::Slots(int64_t band_bytes, int64_t tile_bytes, int64_t pinned_bytes)
    : band_bytes_(aligned(band_bytes)),
      tile_bytes_(aligned(tile_bytes)),
      pinned_bytes_(aligned(pinned_bytes)),
      device_(current_device()) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size(kBandsOnDevice * band_bytes_ + kTilesOnDevice * tile_bytes_)),
        "allocating slots on the GPU");
  device_memory_.reset(memory);
  check(cudaMallocHost(&memory, size(2 * kUnderWay * pinned_bytes_)), "allocating pinned memory");
  pinned_memory_.reset(memory);
  for (auto& owned : streams_) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    owned.reset(stream);
  }
  for (auto& owned : events_) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    owned.reset(event);
  }
}

void Slots::mark(void* event, Way way) const {
  check(cudaEventRecord(event_of(event), stream_of(stream(way))), "marking a tile's way");
}

void Slots::follow(Way way, void* event) const {
  check(cudaStreamWaitEvent(stream_of(stream(way)), event_of(event)), "following a tile");
}

void Slots::wait(const Slot& slot) const {
  check(cudaEventSynchronize(event_of(slot.left)), "moving a tile through the GPU");
}

void Slots::wait_all() const noexcept {
  for (const auto& stream : streams_) cudaStreamSynchronize(stream_of(stream.get()));
  cudaGetLastError();
}

bool is_pinned(const Rows& rows) {
  const int64_t last =
      (rows.matrices - 1) * rows.stride + (rows.rows - 1) * rows.pitch + rows.run - 1;
  return is_pinned(rows.begin) && is_pinned(rows.begin + last);
}

void copy_in(const Rows& caller, const Slots::Band& band, void* stream) {
  const Rows rows = caller.joined();
  for_each_matrix(rows, [&](const unsigned char* from, int64_t offset) {
    check(cudaMemcpy2DAsync(band.device + offset, size(rows.run), from, size(rows.pitch),
                            size(rows.run), size(rows.rows), cudaMemcpyHostToDevice,
                            stream_of(stream)),
          "copying the caller's pinned input to the GPU");
  });
}

void copy_out(const Rows& caller, const Slots::Slot& slot, void* stream) {
  const Rows rows = caller.joined();
  for_each_matrix(rows, [&](unsigned char* to, int64_t offset) {
    check(cudaMemcpy2DAsync(to, size(rows.pitch), slot.device + offset, size(rows.run),
                            size(rows.run), size(rows.rows), cudaMemcpyDeviceToHost,
                            stream_of(stream)),
          "copying from the GPU to the caller's pinned output");
  });
}

void copy_in(int64_t bytes, const Slots::Slot& slot, const Slots::Band& band, void* stream) {
  check(cudaMemcpyAsync(band.device, slot.pinned_in, size(bytes), cudaMemcpyHostToDevice,
                        stream_of(stream)),
        "copying a tile to the GPU");
}

void copy_out(int64_t bytes, const Slots::Slot& slot, void* stream) {
  check(cudaMemcpyAsync(slot.pinned_out, slot.device, size(bytes), cudaMemcpyDeviceToHost,
                        stream_of(stream)),
        "copying a tile from the GPU");
}

void transpose(uint32_t element_bytes, const Tile& part, const Tile& whole, const Slots::Band& band,
               const Slots::Slot& slot, void* stream) {
  const int64_t first =
      (part.matrix - whole.matrix) * whole.rows * whole.cols + part.row - whole.row;
  xpose::plugin::with_element(element_bytes, [&]<class E>(E) {
    const int64_t blocks = kernels::squares<E>(part.matrices, part.rows, part.cols);
    xpose::plugin::launch_kernel(
        "staged", kernels::staged<E>, {static_cast<uint32_t>(blocks)},
        {kernels::kThreadsX, kernels::kThreadsY}, 0, stream,
        reinterpret_cast<const E*>(band.device), reinterpret_cast<E*>(slot.device) + first,
        static_cast<int>(part.rows), static_cast<int>(part.cols), whole.rows);
  });
}

}  // namespace staged
