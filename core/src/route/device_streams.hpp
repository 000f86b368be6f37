// Streams, buffers, mapped arrays and a meeting, which a route between devices keeps from one run
// to the next.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "device/device.hpp"
#include "route/mapped_arrays.hpp"
#include "route/shared_meeting.hpp"

namespace xpose {

class DeviceStreams {
 public:
  explicit DeviceStreams(Backend& backend);

  Backend& backend() const { return backend_; }

  MappedArrays& arrays() { return arrays_; }
  // Where the ranks meet from their first agreement on; null where they meet by notices.
  SharedMeeting* meeting() const { return meeting_.get(); }
  void meet_in(std::unique_ptr<SharedMeeting> meeting) { meeting_ = std::move(meeting); }

  // For work that is in no order with that on the others: 0 for what others wait for, 1 for copies
  // to them, 2 for the rest. Kernels on 0 and 2 take half of the device, since with all of it they
  // take the memory from the copies.
  void* stream(std::size_t number) const { return streams_[number].stream; }
  void all_follow(void* stream);
  void wait_for_all();

  // The memory of a number, of the size that it was first asked for. A lost message may keep it.
  std::shared_ptr<DeviceBuffer> buffer(std::uint64_t number, std::uint64_t bytes);

 private:
  struct OwnStream {
    OwnStream(Backend& owner, StreamShare share);
    ~OwnStream();
    OwnStream(const OwnStream&) = delete;  // owns its stream
    OwnStream& operator=(const OwnStream&) = delete;
    Backend& backend;
    void* stream;  // of the host null
  };

  Backend& backend_;
  MappedArrays arrays_;
  std::unique_ptr<SharedMeeting> meeting_;
  std::array<OwnStream, 3> streams_;
  std::map<std::uint64_t, std::shared_ptr<DeviceBuffer>> buffers_;
};

}  // namespace xpose
