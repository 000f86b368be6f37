// The memory of a plan: slots on a GPU, pinned buffers on the host, and a stream for each way.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>

#include "copies.hpp"
#include "tiling.hpp"

namespace staged {

// One tile comes while the one before it leaves, and each side of a slot is free again when its way
// is over. Where threads copy, tiles wait for them on both sides: so many are under way.
inline constexpr int64_t kOnDevice = 2, kUnderWay = 4;

// The work of the GPU, which it does at the same time, each in the order of the tiles.
enum class Way : uint8_t { in, turn, out };

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
void destroy_event(void* event);

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
  // Buffers of so many bytes each on the current device and in pinned memory, for input and for
  // output. Throws DeviceError with the reason where there is no device, and std::bad_alloc.
  Slots(int64_t device_bytes, int64_t pinned_bytes);

  int device() const { return device_; }
  bool is_of_this_process() const { return getpid() == process_; }

  // Of one tile. Events say that it has come, was transposed and has left.
  struct Slot {
    unsigned char *device_in, *device_out;  // on the GPU
    unsigned char *pinned_in, *pinned_out;  // on the host
    void *came, *turned, *left;
  };
  Slot at(int64_t tile) const {
    const auto buffer = [](const auto& memory, int64_t number, int64_t size) {
      return static_cast<unsigned char*>(memory.get()) + number * size;
    };
    const int64_t device = 2 * (tile % kOnDevice), pinned = 2 * (tile % kUnderWay);
    const auto* const events = &events_[static_cast<size_t>(tile % kUnderWay * 3)];
    return {buffer(device_memory_, device, device_bytes_),
            buffer(device_memory_, device + 1, device_bytes_),
            buffer(pinned_memory_, pinned, pinned_bytes_),
            buffer(pinned_memory_, pinned + 1, pinned_bytes_),
            events[0].get(),
            events[1].get(),
            events[2].get()};
  }
  // Of the tile that had the same buffers of the device before.
  Slot before(int64_t tile) const { return at(tile + kUnderWay - kOnDevice); }

  void* stream(Way way) const { return streams_[static_cast<size_t>(way)].get(); }
  // The event happens when all that was enqueued for the way is done; a way waits for its latest
  // time, and not at all before its first one. Throw DeviceError.
  void mark(void* event, Way way) const;
  void follow(Way way, void* event) const;

  // The tile has left. wait_all() is for what failed: all ways are done, and it throws nothing.
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
  std::array<std::unique_ptr<void, Owner<destroy_event>>, 3 * kUnderWay> events_;
  std::array<std::unique_ptr<void, Owner<destroy_stream>>, 3> streams_;
};

// Whether the GPU may copy a caller's rows by itself: their first and last byte are pinned. Throws
// DeviceError.
bool is_pinned(const Rows& rows);

// Enqueue a copy of a caller's pinned rows to a slot on the GPU, or from it. Throw DeviceError.
void copy_in(const Rows& rows, const Slots::Slot& slot, void* stream);
void copy_out(const Rows& rows, const Slots::Slot& slot, void* stream);
// The same from and to the slot's own pinned memory.
void copy_in(int64_t bytes, const Slots::Slot& slot, void* stream);
void copy_out(int64_t bytes, const Slots::Slot& slot, void* stream);
// Enqueues the transposes of a tile's matrices, from a slot's input to its output.
void transpose(uint32_t element_bytes, const Tile& tile, const Slots::Slot& slot, void* stream);

}  // namespace staged
