// The memory of a plan: slots on a GPU, as many pinned buffers on the host, a stream for each.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>

#include "copies.hpp"
#include "tiling.hpp"

namespace staged {

// One tile is on its way in, one is transposed, one is on its way out, and two share the slot that
// the host works on.
inline constexpr int64_t kSlots = 4;

// Frees what it owns in the process that made it alone: CUDA does not work in a child of fork().
template <void (*Free)(void*)>
struct Owner {
  pid_t process = getpid();
  void operator()(void* owned) const {
    if (getpid() == process) Free(owned);
  }
};

void free_device(void* memory);
void free_pinned(void* memory);
void destroy_stream(void* stream);

// Makes a device of CUDA current in this thread while it lives. Throws DeviceError.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;  // puts back what was current

 private:
  int before_ = 0, device_;
};

class Slots {
 public:
  // Of so many bytes each on the current device and in pinned memory, twice: for input and output.
  // Throws DeviceError with the reason where there is no device, and std::bad_alloc.
  Slots(int64_t device_bytes, int64_t pinned_bytes);

  int device() const { return device_; }
  bool is_of_this_process() const { return getpid() == process_; }

  struct Slot {
    unsigned char *device_in, *device_out;  // on the GPU
    unsigned char *pinned_in, *pinned_out;  // on the host
    void* stream;
  };
  Slot at(int64_t tile) const {
    const int64_t slot = tile % kSlots;
    auto* const device =
        static_cast<unsigned char*>(device_memory_.get()) + 2 * slot * device_bytes_;
    auto* const pinned =
        static_cast<unsigned char*>(pinned_memory_.get()) + 2 * slot * pinned_bytes_;
    return {device, device + device_bytes_, pinned, pinned + pinned_bytes_,
            streams_[static_cast<size_t>(slot)].get()};
  }

  // Whatever was enqueued for a slot is done. wait_all() throws nothing, and is for what failed.
  void wait(const Slot& slot) const;
  void wait_all() const noexcept;

 private:
  static int64_t aligned(int64_t bytes) {
    constexpr int64_t kAlign = 256;
    return (bytes + kAlign - 1) / kAlign * kAlign;
  }

  int64_t device_bytes_, pinned_bytes_;
  pid_t process_ = getpid();
  int device_ = 0;
  std::unique_ptr<void, Owner<free_device>> device_memory_;
  std::unique_ptr<void, Owner<free_pinned>> pinned_memory_;
  std::array<std::unique_ptr<void, Owner<destroy_stream>>, kSlots> streams_;
};

// Whether the GPU may copy a caller's rows by itself: their first and last byte are pinned. Throws
// DeviceError.
bool is_pinned(const Rows& rows);

// Enqueues a copy of a caller's pinned rows to a slot on the GPU, or from it. Throws DeviceError.
void enqueue_in(const Rows& rows, const Slots::Slot& slot);
void enqueue_out(const Rows& rows, const Slots::Slot& slot);
// The same from and to the slot's own pinned memory.
void enqueue_in(int64_t bytes, const Slots::Slot& slot);
void enqueue_out(int64_t bytes, const Slots::Slot& slot);
// Enqueues the transposes of a tile's matrices, from a slot's input to its output.
void enqueue_transpose(uint32_t element_bytes, const Tile& tile, const Slots::Slot& slot);

}  // namespace staged
