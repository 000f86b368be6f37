// The memory of a plan: bands and tiles on a GPU, pinned buffers on the host, and a stream for each
// way.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>

#include "copies.hpp"
#include "tiling.hpp"

namespace staged {

// The bands of one tile come, and are turned, while the tile before it leaves: so many bands and
// whole tiles are on the GPU. Where threads copy, tiles wait for them on both sides: so many are
// under way.
inline constexpr int64_t kBandsOnDevice = 2, kTilesOnDevice = 2, kUnderWay = 4;

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
  // Buffers of so many bytes each: of bands and of tiles on the current device, and of tiles in
  // pinned memory for input and for output. Throws DeviceError with the reason where there is no
  // device, and std::bad_alloc.
  Slots(int64_t band_bytes, int64_t tile_bytes, int64_t pinned_bytes);

  int device() const { return device_; }
  bool is_of_this_process() const { return getpid() == process_; }

  // Of a band. Events say that it has come and that it was turned.
  struct Band {
    unsigned char* device;
    void *came, *turned;
  };
  Band band(int64_t number) const {
    const int64_t place = number % kBandsOnDevice;
    const auto event = static_cast<size_t>(2 * place);
    return {static_cast<unsigned char*>(device_memory_.get()) + place * band_bytes_,
            events_[event].get(), events_[event + 1].get()};
  }

  // Of a tile. The event says that it has left.
  struct Slot {
    unsigned char* device;                  // turned
    unsigned char *pinned_in, *pinned_out;  // on the host
    void* left;
  };
  Slot at(int64_t tile) const {
    auto* const device = static_cast<unsigned char*>(device_memory_.get());
    auto* const pinned = static_cast<unsigned char*>(pinned_memory_.get());
    const int64_t place = tile % kUnderWay;
    return {device + kBandsOnDevice * band_bytes_ + tile % kTilesOnDevice * tile_bytes_,
            pinned + 2 * place * pinned_bytes_, pinned + (2 * place + 1) * pinned_bytes_,
            events_[static_cast<size_t>(2 * kBandsOnDevice + place)].get()};
  }
  // Of the tile that had the same buffer of the device before.
  Slot before(int64_t tile) const { return at(tile + kUnderWay - kTilesOnDevice); }

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

  int64_t band_bytes_, tile_bytes_, pinned_bytes_;
  pid_t process_ = getpid();
  int device_ = 0;
  std::unique_ptr<void, Owner<free_device>> device_memory_;
  std::unique_ptr<void, Owner<free_pinned>> pinned_memory_;
  std::array<std::unique_ptr<void, Owner<destroy_event>>, 2 * kBandsOnDevice + kUnderWay> events_;
  std::array<std::unique_ptr<void, Owner<destroy_stream>>, 3> streams_;
};

// Whether the GPU may copy a caller's rows by itself: their first and last byte are pinned. Throws
// DeviceError.
bool is_pinned(const Rows& rows);

// Enqueue a copy of a caller's pinned rows to a band on the GPU, or from a tile there. Throw
// DeviceError.
void copy_in(const Rows& rows, const Slots::Band& band, void* stream);
void copy_out(const Rows& rows, const Slots::Slot& slot, void* stream);
// The same from and to the slot's own pinned memory, for a tile of one band.
void copy_in(int64_t bytes, const Slots::Slot& slot, const Slots::Band& band, void* stream);
void copy_out(int64_t bytes, const Slots::Slot& slot, void* stream);
// Enqueues the transposes of a band's matrices, `part` of the tile `whole`, to their places in
// that.
void transpose(uint32_t element_bytes, const Tile& part, const Tile& whole, const Slots::Band& band,
               const Slots::Slot& slot, void* stream);

}  // namespace staged
