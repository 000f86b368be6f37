// The CUDA runtime behind the Backend interface.
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda_buffers.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_device_info.hpp"
#include "device/cuda_reach.hpp"
#include "device/cuda_streams.hpp"
#include "device/device.hpp"

namespace xpose {
namespace {

// While it lives, this thread may allocate although a stream records a graph.
class AnyCapture {
 public:
  AnyCapture() { exchange(); }
  AnyCapture(const AnyCapture&) = delete;  // gives back what it took
  AnyCapture& operator=(const AnyCapture&) = delete;
  ~AnyCapture() { exchange(); }

 private:
  void exchange() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int ordinal)
      : info_(cuda_device_info(ordinal)), buffers_(info_.multiprocessors) {}

  const DeviceInfo& info() const override { return info_; }

  void make_current() override {
    check(cudaSetDevice(info_.device.ordinal), "making the device current");
  }

  void* allocate(std::uint64_t bytes) override {
    make_current();
    void* memory = nullptr;
    const AnyCapture allowed;  // a workspace, at a plan's first launch on a stream
    check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes),
          ("allocating " + std::to_string(bytes) + " bytes on " + to_string(info_.device)).c_str());
    return memory;
  }
  void release(void* memory) noexcept override {
    (void)cudaSetDevice(info_.device.ordinal);
    (void)cudaFree(memory);
  }
  void* allocate_pinned(std::uint64_t bytes) override {
    make_current();
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, bytes == 0 ? 1 : bytes, cudaHostAllocPortable),
          ("allocating " + std::to_string(bytes) + " bytes of pinned memory").c_str());
    return memory;
  }
  void release_pinned(void* memory) noexcept override { (void)cudaFreeHost(memory); }
  void upload(void* device, const void* host, std::uint64_t bytes) override {
    copy_to_device(device, host, bytes);
  }
  void download(void* host, const void* device, std::uint64_t bytes) override {
    copy_from_device(host, device, bytes);
  }
  std::uint64_t free_bytes() override {
    make_current();
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return free;
  }

  std::optional<std::uint64_t> first_difference(const void* a, const void* b,
                                                std::uint64_t bytes) override {
    return buffers_.first_difference(a, b, bytes);
  }
  void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) override {
    buffers_.fill(pattern, data, from, to);
  }
  std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                          std::uint64_t from, std::uint64_t to) override {
    return buffers_.difference(pattern, data, from, to);
  }
  void set_spots(const Spots& spots) override { buffers_.set_spots(spots); }
  std::optional<std::uint32_t> wrong_spot(const Spots& spots) override {
    return buffers_.wrong_spot(spots);
  }

  void synchronize() override { check(cudaDeviceSynchronize(), "waiting for the device"); }

  bool is_capturing(void* stream) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status),
          "asking whether the stream is capturing");
    return status != cudaStreamCaptureStatusNone;
  }

  void* make_stream(StreamShare share) override {
    make_current();
    return make_cuda_stream(info_.device.ordinal, share);
  }
  void release_stream(void* stream) noexcept override {
    (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream));
  }
  void follow(void* stream, void* other) override {
    make_current();
    order_.follow(static_cast<cudaStream_t>(stream), static_cast<cudaStream_t>(other));
  }
  void wait_for(void* stream) override {
    make_current();
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "waiting for a stream");
  }
  bool has_ended(void* stream) override {
    make_current();
    const cudaError_t status = cudaStreamQuery(static_cast<cudaStream_t>(stream));
    if (status == cudaErrorNotReady) (void)cudaGetLastError();
    if (status != cudaErrorNotReady) check(status, "asking for the work of a stream");
    return status == cudaSuccess;
  }
  void copy(void* to, const void* from, std::uint64_t bytes, void* stream) override {
    make_current();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
          "copying between host and device");
  }
  void copy_rows(const RowsCopy& copy, void* stream) override {
    make_current();
    check(cudaMemcpy2DAsync(copy.to, copy.to_pitch, copy.from, copy.from_pitch, copy.bytes,
                            copy.rows, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
          "copying rows");
  }
  void reach(const Backend& other) override {
    reach_device(info_.device.ordinal, other.info().device.ordinal);
  }
  MemoryName name_of(void* memory) override {
    make_current();
    return cuda_name_of(memory, info_.device.ordinal);
  }
  void* map(const MemoryName& name) override {
    make_current();
    return map_cuda_memory(name, info_.device.ordinal);
  }
  void unmap(const MemoryName& name, void* begin) noexcept override {
    (void)cudaSetDevice(info_.device.ordinal);
    unmap_cuda_memory(name, begin);
  }

  void clean_cache(std::initializer_list<std::span<const std::byte>>) override {}
  double seconds(int calls, const std::function<void()>& call, bool calls_are_long,
                 const std::function<void()>& before) override {
    const std::lock_guard lock(mutex_);
    make_current();
    for (cudaEvent_t* event : {&begin_, &end_})
      if (*event == nullptr) check(cudaEventCreate(event), "creating an event");
    if (!calls_are_long) call();
    if (before) before();
    check(cudaEventRecord(begin_), "recording an event");
    for (int i = 0; i < calls; ++i) call();
    check(cudaEventRecord(end_), "recording an event");
    check(cudaEventSynchronize(end_), "waiting for a timed launch");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading an event");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  const DeviceInfo info_;
  CudaBuffers buffers_;
  CudaStreamOrder order_;
  std::mutex mutex_;  // guards what follows
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

struct Found {
  std::vector<Backend*> backends;
  std::string reason;
};

// Looked up once; the backends live until exit, past every static that may still hold memory.
const Found& found() {
  static const Found* result = [] {
    auto* look = new Found;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ||
        (status == cudaSuccess && count == 0)) {
      look->reason = "no CUDA device";
      int driver = 0;
      if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
          driver != 0)
        look->reason += " (the driver is for CUDA " + std::to_string(driver / 1000) + '.' +
                        std::to_string(driver % 1000 / 10) + ", older than this build)";
      return look;
    }
    if (status != cudaSuccess) {
      look->reason = std::string("no CUDA device (") + cudaGetErrorString(status) + ')';
      return look;
    }
    try {
      for (int i = 0; i < count; ++i) look->backends.push_back(new CudaBackend(i));
    } catch (const Error& e) {
      look->reason = std::string("no usable CUDA device (") + e.what() + ')';
    }
    return look;
  }();
  return *result;
}

}  // namespace

std::vector<Backend*> cuda_backends() { return found().backends; }
std::string cuda_reason() { return found().backends.empty() ? found().reason : ""; }

}  // namespace xpose
