// The devices behind one interface: memory, comparison and time. The CUDA runtime is included by
// cuda_check.hpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>

#include "device/memory_name.hpp"
#include "pattern/pattern.hpp"
#include "pattern/spots.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// Rows of so many bytes, and the bytes from one to the next.
struct RowsCopy {
  void* to;
  std::uint64_t to_pitch;
  const void* from;
  std::uint64_t from_pitch;
  std::uint64_t bytes, rows;
};

// The multiprocessors for kernels on a stream: all, or one half, which is the same half for all
// streams that have it. First: before the kernels of other streams.
enum class StreamShare { whole, half, first_of_half };

// One device. Functions throw Error device or no_memory. [any thread]
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual void make_current() = 0;  // for the calling thread

  virtual void* allocate(std::uint64_t bytes) = 0;  // 256-byte aligned
  // Host: whole pages, of which nothing else has a part; aligned as they are.
  virtual void* allocate_pages(std::uint64_t bytes) { return allocate(bytes); }
  virtual void release(void* memory) noexcept = 0;
  // Host memory that copy() takes. CUDA: pinned, so that copies run beside other work.
  virtual void* allocate_pinned(std::uint64_t bytes) { return allocate(bytes); }
  virtual void release_pinned(void* memory) noexcept { release(memory); }
  virtual void upload(void* device, const void* host, std::uint64_t bytes) = 0;
  virtual void download(void* host, const void* device, std::uint64_t bytes) = 0;
  // That may still be taken. Host: what is available, within the limits of control groups.
  virtual std::uint64_t free_bytes() = 0;

  // Offset of the first byte in which two device ranges differ.
  virtual std::optional<std::uint64_t> first_difference(const void* a, const void* b,
                                                        std::uint64_t bytes) = 0;

  // Bytes [from, to) of an allocation of the pattern's size: written, or compared; the comparison
  // gives the offset of the first byte in the allocation that is not what the pattern says.
  virtual void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) = 0;
  virtual std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                                  std::uint64_t from, std::uint64_t to) = 0;

  // Changes the spots of the pairs, in order with what the device does; and the least of them that
  // is not right now, after what was launched on the default stream.
  virtual void set_spots(const Spots& spots) = 0;
  virtual std::optional<std::uint32_t> wrong_spot(const Spots& spots) = 0;

  // Leaves nothing of the buffers in the host's caches. The next timed launch would pay for the
  // lines that the last one left dirty. The lines are dropped or, where that is more work or
  // impossible, pushed out by other memory of 1.5 times the cache, which is kept. Without such
  // memory they stay, because that is no reason not to measure. CUDA: does nothing, because
  // every kernel leaves its output in the L2.
  // [one thread at a time]
  virtual void clean_cache(std::initializer_list<std::span<const std::byte>> buffers) = 0;
  // Drops the lines of one of many buffers, where the processor has an instruction for that. CUDA:
  // does nothing.
  virtual void drop_lines(std::span<const std::byte>) {}

  virtual void synchronize() = 0;
  virtual bool is_capturing(void* stream) = 0;  // into a CUDA graph
  // CUDA: a stream whose work waits for no other's, with all multiprocessors where the driver
  // cannot part them. Host: null.
  virtual void* make_stream(StreamShare = StreamShare::whole) { return nullptr; }
  virtual void release_stream(void*) noexcept {}
  // Launches on `stream` from now on wait for those on `other` until now. Host: each has ended when
  // it returns.
  virtual void follow(void*, void*) {}
  virtual void wait_for(void*) {}                 // until all on a stream has ended
  virtual bool has_ended(void*) { return true; }  // all on a stream
  // Begins to copy between memory of allocate_pinned() and that of the device.
  virtual void copy(void* to, const void* from, std::uint64_t bytes, void*) {
    std::memcpy(to, from, bytes);
  }
  // Begins to copy rows of this device into its own memory, or into that of a device that it
  // reaches. CUDA: its copy engines do, which leave the multiprocessors to kernels.
  virtual void copy_rows(const RowsCopy& copy, void* stream) = 0;
  // Lets this device write into another's memory from now on. Throws Error device where it cannot.
  virtual void reach(const Backend&) {}
  // The name of memory for other processes of this host. Memory that cannot be shared has one for
  // this process alone, and null has that of no memory.
  virtual MemoryName name_of(void* memory);
  // Maps the allocation of a name, and returns its begin as this device can write to it. Null where
  // it cannot. Until unmap(), once for each map().
  virtual void* map(const MemoryName& name);
  virtual void unmap(const MemoryName&, void*) noexcept {}
  // Seconds that `calls` calls take on the device. CUDA: events on the default stream, behind one
  // untimed call that keeps the queue full while the timed ones are submitted; not where one call
  // is so long that its submission does not count. `before` comes right before the timed calls.
  virtual double seconds(int calls, const std::function<void()>& call, bool calls_are_long,
                         const std::function<void()>& before = {}) = 0;
};

std::uint64_t page_bytes();  // of the host's memory

// The backend of a device; throws Error device where it cannot be used. Lives until exit.
Backend& backend(Device device);

// Of device_cuda.cu, or of device.cpp where CUDA is left out.
std::vector<Backend*> cuda_backends();
std::string cuda_reason();

// Device memory that frees itself.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Backend& backend, std::uint64_t bytes)
      : backend_(&backend), data_(backend.allocate(bytes)), bytes_(bytes) {}
  static DeviceBuffer of_pages(Backend& backend, std::uint64_t bytes) {
    DeviceBuffer buffer;
    buffer.data_ = backend.allocate_pages(bytes);
    buffer.backend_ = &backend;
    buffer.bytes_ = bytes;
    return buffer;
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) backend_->release(data_);
  }

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Backend* backend_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace xpose
