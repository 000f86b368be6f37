// The messages of a rank on their way into the arrays of devices that its own device reaches. Long
// runs are packed in parts, which copy engines take over the wire while kernels pack the next part
// and move what stays. Short runs are stored by kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exchange/chunks.hpp"
#include "route/device_streams.hpp"

namespace xpose {

class DevicePush {
 public:
  struct Policy {
    // Enough for a device to be busy with one part, and few enough for the first to be packed soon.
    std::int64_t least_part_bytes = std::int64_t{16} << 20;
    // A copy begins some microseconds after the one before it.
    std::int64_t most_part_bytes = std::int64_t{64} << 20;
    // The parts of a message of middle size.
    std::int64_t parts = 8;
    // Shorter runs come in many rectangles, each of which is a call.
    std::int64_t least_run_bytes = 1 << 10;
  };
  struct Target {  // the array of a rank, and how it lies there
    std::byte* out;
    std::int64_t leading_dimension, offset;
    Strides strides(const Exchange& exchange, const Message& message) const {
      return exchange.target_strides(message.rank, leading_dimension, offset);
    }
  };
  using Execute = std::function<void(const std::vector<Tile>& tiles, const std::byte* in,
                                     std::byte* out, void* stream)>;

  // Whether a message that is cut so has runs that suit copy engines.
  static bool suits_copies(const Exchange& exchange, const Chunks& parts, const Policy& policy);
  // Begins to copy a packed box of a message into the array of its rank.
  static void copy(const Exchange& exchange, Backend& backend, const Message& message,
                   const Box& box, const std::byte* packed, const Target& target, void* stream);

  // Of one rank, for which the exchange is laid out, within so much memory. Takes the memory.
  DevicePush(const Exchange& exchange, const std::vector<Message>& messages, DeviceStreams& streams,
             std::int64_t memory, const Policy& policy);

  std::int64_t parts() const;

  // Begins all, on streams that follow the caller's already. `move_kept` begins a share of what
  // stays: that of a turn among so many.
  void begin(
      const std::byte* in, const std::vector<Target>& targets, const Execute& execute,
      const std::function<void(std::int64_t turn, std::int64_t turns, void* stream)>& move_kept);

 private:
  struct Part {
    const Message* of;
    Box box;
  };

  static std::vector<Part> in_turn(const std::vector<Chunks>& messages);
  std::byte* slot(std::size_t number);

  const Exchange& exchange_;
  DeviceStreams& streams_;
  std::vector<Chunks> by_copies_, by_kernels_;
  std::int64_t slot_bytes_ = 0;
};

}  // namespace xpose
