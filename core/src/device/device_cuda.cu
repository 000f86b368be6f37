// The CUDA runtime behind the Backend interface, and the kernels that let buffers of any size be
// filled and checked where they lie.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "device/buffer_kernels.cuh"
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
  explicit CudaBackend(int ordinal) : info_(cuda_device_info(ordinal)) {}

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
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copying to the device");
  }
  void download(void* host, const void* device, std::uint64_t bytes) override {
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copying from the device");
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
    const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
    const auto on_the_host = [&] {
      std::vector<std::byte> y;
      return first_in_pieces(0, bytes, [&](std::uint64_t at, std::vector<std::byte>& x) {
        y.resize(x.size());
        download(x.data(), static_cast<const std::byte*>(a) + at, x.size());
        download(y.data(), static_cast<const std::byte*>(b) + at, y.size());
        const auto other = std::ranges::mismatch(x, y).in1;
        return other == x.end() ? std::optional<std::uint64_t>()
                                : at + static_cast<std::uint64_t>(other - x.begin());
      });
    };
    if (bytes == 0) return std::nullopt;
    if (misaligned(a) != 0 || misaligned(b) != 0)
      return on_the_host();  // rare and short: guard zones, misaligned payloads of copies
    return least(
        [&](unsigned long long* first) {
          find_first_difference<<<blocks_for(bytes), kThreads>>>(
              static_cast<const uint4*>(a), static_cast<const uint4*>(b), bytes, first);
        },
        on_the_host);
  }

  void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) override {
    auto* const bytes = static_cast<std::byte*>(data);
    fill_chunks<<<blocks_for(to - from), kThreads>>>(pattern, bytes, from, to);
    if (started("filling a buffer on the device")) return;
    first_in_pieces(from, to, [&](std::uint64_t at, std::vector<std::byte>& piece) {
      fill_pattern(pattern, piece.data(), at, at + piece.size());
      upload(bytes + at, piece.data(), piece.size());
      return std::optional<std::uint64_t>();
    });
  }
  std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                          std::uint64_t from, std::uint64_t to) override {
    if (from == to) return std::nullopt;
    const auto* const bytes = static_cast<const std::byte*>(data);
    return least(
        [&](unsigned long long* first) {
          compare_chunks<<<blocks_for(to - from), kThreads>>>(pattern, bytes, from, to, first);
        },
        [&] {
          return first_in_pieces(from, to, [&](std::uint64_t at, std::vector<std::byte>& piece) {
            download(piece.data(), bytes + at, piece.size());
            return pattern_difference(pattern, piece.data(), at, at + piece.size());
          });
        });
  }

  void set_spots(const Spots& spots) override {
    change_spots<<<spots.pairs, kThreads>>>(spots);
    if (started("changing spots on the device")) return;
    for (std::uint32_t i = 0; i < spots.count(); ++i) {
      const Spot spot = spot_at(spots, i);
      upload(spot.in, &spot.changed, spots.pattern.element_bytes);
      upload(spot.out, &spot.usual, spots.pattern.element_bytes);
    }
  }
  std::optional<std::uint32_t> wrong_spot(const Spots& spots) override {
    const auto found = least(
        [&](unsigned long long* first) {
          find_wrong_spot<<<spots.pairs, kThreads>>>(spots, first);
        },
        [&]() -> std::optional<std::uint64_t> {
          for (std::uint32_t i = 0; i < spots.count(); ++i) {
            const Spot spot = spot_at(spots, i);
            ElementBits held;
            download(&held, spot.out, spots.pattern.element_bytes);
            if (std::memcmp(&held, &spot.changed, spots.pattern.element_bytes) != 0) return i;
          }
          return std::nullopt;
        });
    if (!found) return std::nullopt;
    return static_cast<std::uint32_t>(*found);
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
  static constexpr unsigned kThreads = 256;

  unsigned blocks_for(std::uint64_t bytes) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(
        bytes / (std::uint64_t{16} * kThreads) + 1, info_.multiprocessors * std::uint64_t{16}));
  }

  // Whether the kernel just launched was started. Where there is no memory for it, it was not, and
  // the host does its work: the runtime loads a kernel at its first launch, and where that fails
  // once, all later launches in the process fail like it, with memory or without.
  static bool started(const char* what) {
    const cudaError_t status = cudaGetLastError();
    if (status == cudaErrorMemoryAllocation) return false;
    check(status, what);
    return true;
  }

  // Calls find(at, piece) for host memory as long as each piece of [from, to), until it finds
  // something.
  template <class Find>
  static std::optional<std::uint64_t> first_in_pieces(std::uint64_t from, std::uint64_t to,
                                                      const Find& find) {
    constexpr std::uint64_t kPieceBytes = 32 << 20;
    std::vector<std::byte> piece;
    for (std::uint64_t at = from; at < to; at += piece.size()) {
      piece.resize(std::min(kPieceBytes, to - at));
      if (const std::optional<std::uint64_t> found = find(at, piece)) return found;
    }
    return std::nullopt;
  }

  // Starts a kernel that lowers a number, and reads it; what cannot be started is looked for on the
  // host.
  template <class Start, class OnTheHost>
  std::optional<std::uint64_t> least(const Start& start, const OnTheHost& on_the_host) {
    const std::lock_guard lock(mutex_);
    if (least_ == nullptr) check(cudaMalloc(&least_, sizeof *least_), "allocating a number");
    upload(least_, &kNoDifference, sizeof kNoDifference);
    start(least_);
    if (!started("comparing on the device")) return on_the_host();
    unsigned long long found = kNoDifference;
    download(&found, least_, sizeof found);
    if (found == kNoDifference) return std::nullopt;
    return found;
  }

  const DeviceInfo info_;
  CudaStreamOrder order_;
  std::mutex mutex_;  // guards what follows
  unsigned long long* least_ = nullptr;
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
