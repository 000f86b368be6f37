#include "route/device_streams.hpp"

namespace xpose {

DeviceStreams::OwnStream::OwnStream(Backend& owner, StreamShare share)
    : backend(owner), stream((owner.make_current(), owner.make_stream(share))) {}

DeviceStreams::OwnStream::~OwnStream() {
  if (stream != nullptr) backend.release_stream(stream);
}

DeviceStreams::DeviceStreams(Backend& backend)
    : backend_(backend),
      arrays_(backend),
      streams_{OwnStream(backend, StreamShare::first_of_half),
               OwnStream(backend, StreamShare::whole), OwnStream(backend, StreamShare::half)} {}

void DeviceStreams::all_follow(void* stream) {
  for (const OwnStream& own : streams_) backend_.follow(own.stream, stream);
}

void DeviceStreams::wait_for_all() {
  for (const OwnStream& own : streams_) backend_.wait_for(own.stream);
}

std::shared_ptr<DeviceBuffer> DeviceStreams::buffer(std::uint64_t number, std::uint64_t bytes) {
  std::shared_ptr<DeviceBuffer>& buffer = buffers_[number];
  if (buffer == nullptr) buffer = std::make_shared<DeviceBuffer>(backend_, bytes);
  return buffer;
}

}  // namespace xpose
