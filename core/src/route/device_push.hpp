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
    // The first part is packed while nothing is on its way. Each other one has so many times the
    // bytes of the one before it, and is packed while that one is on its way.
    std::int64_t first_part_bytes = std::int64_t{8} << 20;
    std::int64_t growth = 3;
    // Between two copies the wire is idle for some microseconds.
    std::int64_t most_part_bytes = std::int64_t{128} << 20;
    // Shorter messages are stored, since the first part and the begin of each copy take more time
    // than copies of so few bytes gain.
    std::int64_t least_copied_bytes = std::int64_t{32} << 20;
    // And so are shorter runs, and rectangles of fewer bytes on average: each rectangle is a call.
    std::int64_t least_run_bytes = 1 << 10;
    std::int64_t least_rectangle_bytes = std::int64_t{8} << 20;
    // Of what kernels store: enough for a device to be busy with one part.
    std::int64_t stored_part_bytes = std::int64_t{16} << 20;
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

  // Whether a message has runs that suit copy engines where it passes in boxes like this one.
  static bool suits_copies(const Exchange& exchange, const Message& message, const Box& box,
                           const Policy& policy);
  // Begins to copy a packed box of a message into the array of its rank.
  static void copy(const Exchange& exchange, Backend& backend, const Message& message,
                   const Box& box, const std::byte* packed, const Target& target, void* stream);

  // Of one rank, for which the exchange is laid out, within so much memory. Takes the memory.
  DevicePush(const Exchange& exchange, const std::vector<Message>& messages, DeviceStreams& streams,
             std::int64_t memory, const Policy& policy);

  std::int64_t parts() const;

  // Begins to pack the first part, for which no other rank needs to be ready. Once, and before
  // begin().
  void begin_to_pack(const std::byte* in, const Execute& execute);
  // Begins all else. `move_kept` begins a share of what stays: that of a turn among so many.
  void begin(
      const std::byte* in, const std::vector<Target>& targets, const Execute& execute,
      const std::function<void(std::int64_t turn, std::int64_t turns, void* stream)>& move_kept);

 private:
  struct Passage {  // of a message
    Message message;
    std::vector<Box> parts;
  };
  struct Part {
    const Message* of;
    Box box;
  };

  static std::vector<Part> in_turn(const std::vector<Passage>& passages);
  std::byte* slot(std::size_t part);
  void pack(std::size_t part, const std::byte* in, const Execute& execute);

  const Exchange& exchange_;
  DeviceStreams& streams_;
  std::vector<Passage> by_copies_, by_kernels_;
  std::vector<Part> copied_, stored_;  // in the order of their begin
  std::int64_t slot_bytes_ = 0;
};

}  // namespace xpose
