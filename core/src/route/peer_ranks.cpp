#include <string>

#include "device/device.hpp"
#include "route/meeting.hpp"

namespace xpose {
namespace {

class PeerRanks : public DeviceRanks {
 public:
  PeerRanks(std::shared_ptr<Meeting> meeting, int rank, int size, Device device)
      : meeting_(std::move(meeting)), rank_(rank), size_(size), device_(device) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Device device() const override { return device_; }
  void* stream() const override { return nullptr; }
  bool reaches_others() const override { return true; }
  std::vector<Notice> gather(const Notice& own, double seconds) override {
    return meeting_->gather(rank_, own, seconds);
  }
  void exchange(const std::vector<Transfer>&, const std::vector<Transfer>&, double) override {
    throw Error(ErrorKind::failed, "peers have no messages: they write into each other's arrays");
  }
  void finish(double) override {}  // nothing is on the stream but the route's own work
  void abandon() noexcept override { meeting_->give_up(rank_); }

 private:
  std::shared_ptr<Meeting> meeting_;
  int rank_, size_;
  Device device_;
};

}  // namespace

DeviceRanks::~DeviceRanks() = default;

std::vector<std::shared_ptr<DeviceRanks>> peer_ranks(const std::vector<Device>& devices) {
  if (devices.empty())
    throw Error(ErrorKind::invalid, "peer_ranks() takes one device or more, and got none");
  for (const Device& device : devices)
    if (device.kind != devices.front().kind)
      throw Error(ErrorKind::invalid, "peer_ranks() takes devices of one kind, and got " +
                                          to_string(devices.front()) + " and " + to_string(device));
  for (const Device& device : devices)
    for (const Device& other : devices) backend(device).reach(backend(other));
  const auto size = static_cast<int>(devices.size());
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::shared_ptr<DeviceRanks>> ranks;
  ranks.reserve(devices.size());
  for (int rank = 0; rank < size; ++rank)
    ranks.push_back(
        std::make_shared<PeerRanks>(meeting, rank, size, devices[static_cast<std::size_t>(rank)]));
  return ranks;
}

}  // namespace xpose
