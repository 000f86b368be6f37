// Messages among carried ranks, and carriers that pass calls on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake_ranks.hpp"
#include "route_case.hpp"

namespace xpose {

// Passes calls on. A subclass changes some of them.
class Passing : public Ranks {
 public:
  explicit Passing(std::shared_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {}
  int rank() const override { return ranks_->rank(); }
  int size() const override { return ranks_->size(); }
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    ranks_->send(rank, channel, std::move(data), bytes, id);
  }
  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override {
    ranks_->receive(rank, channel, std::move(data), bytes, id);
  }
  std::vector<std::uint64_t> wait(double seconds) override { return ranks_->wait(seconds); }
  double seconds() const override { return ranks_->seconds(); }
  void abandon() noexcept override { ranks_->abandon(); }

 private:
  std::shared_ptr<Ranks> ranks_;
};

constexpr std::uint64_t kNotice = sizeof(DeviceRanks::Notice);

inline DeviceRanks::Notice notice_of(int rank) {
  DeviceRanks::Notice notice;
  std::ranges::fill(notice, static_cast<std::byte>(rank + 1));
  return notice;
}

inline std::vector<std::string> texts_of(
    FakeRanks& all, const std::function<void(const std::shared_ptr<Ranks>&)>& body) {
  std::vector<std::string> texts;
  for (const std::exception_ptr& failure : all.run(body)) texts.push_back(text_of(failure));
  return texts;
}

inline std::vector<std::byte> bytes_of(int from, int to, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(from * 50 + to * 11));
  return bytes;
}

// Messages of odd lengths between all pairs, two of them in one call, one of no byte.
inline void exchange_among_all(CarriedRanks& ranks) {
  const std::size_t counts[] = {1001, 0, 37};
  const int size = ranks.size(), own = ranks.rank();
  std::vector<std::shared_ptr<std::vector<std::byte>>> received;
  std::vector<std::vector<std::byte>> wanted;
  std::vector<DeviceRanks::Transfer> sends, receives;
  const auto transfer = [](int rank, const std::shared_ptr<std::vector<std::byte>>& bytes) {
    return DeviceRanks::Transfer{rank, bytes->data(), bytes->size(), bytes};
  };
  for (int other = 0; other < size; ++other) {
    if (other == own) continue;
    for (const std::size_t count : counts) {
      wanted.push_back(bytes_of(other, own, count));
      received.push_back(std::make_shared<std::vector<std::byte>>(count, std::byte{0xa5}));
      receives.push_back(transfer(other, received.back()));
      sends.push_back(
          transfer(other, std::make_shared<std::vector<std::byte>>(bytes_of(own, other, count))));
    }
  }
  ranks.exchange(sends, receives, 60);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(*received[i] == wanted[i]) << "rank " << own;
}

}  // namespace xpose
