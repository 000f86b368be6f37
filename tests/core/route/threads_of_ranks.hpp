// Ranks with arrays on devices that are threads of this process and send each other messages
// through host memory, and the threads that run them.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "route/meeting.hpp"
#include "xpose/ranks.hpp"

namespace xpose {

struct Mailbox {
  explicit Mailbox(int size) : meeting(size) {}

  Meeting meeting;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters;  // from, to
};

class MailRanks : public DeviceRanks {
 public:
  MailRanks(std::shared_ptr<Mailbox> box, int rank, int size)
      : box_(std::move(box)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Device device() const override { return {}; }
  void* stream() const override { return nullptr; }
  bool reaches_others() const override { return false; }
  std::vector<Notice> gather(const Notice& own, double seconds) override {
    return box_->meeting.gather(rank_, own, seconds);
  }
  void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                double) override {
    std::unique_lock lock(box_->mutex);
    for (const Transfer& sent : sends) {
      const auto* data = static_cast<const std::byte*>(sent.data);
      box_->letters[{rank_, sent.rank}].emplace_back(data, data + sent.bytes);
    }
    box_->changed.notify_all();
    for (const Transfer& wanted : receives) {
      auto& letters = box_->letters[{wanted.rank, rank_}];
      box_->changed.wait(lock, [&] { return !letters.empty(); });
      if (letters.front().size() != wanted.bytes)
        throw Error(ErrorKind::wrong, "two ranks state different sizes of one transfer");
      std::memcpy(wanted.data, letters.front().data(), wanted.bytes);
      letters.pop_front();
    }
  }
  void finish(double) override {}
  void abandon() noexcept override { box_->meeting.give_up(rank_); }

 private:
  std::shared_ptr<Mailbox> box_;
  int rank_, size_;
};

inline std::vector<std::shared_ptr<DeviceRanks>> mail_ranks(int size) {
  const auto box = std::make_shared<Mailbox>(size);
  std::vector<std::shared_ptr<DeviceRanks>> ranks;
  for (int rank = 0; rank < size; ++rank)
    ranks.push_back(std::make_shared<MailRanks>(box, rank, size));
  return ranks;
}

// The texts of what each rank threw; empty where it returned.
inline std::vector<std::string> run_ranks(
    const std::vector<std::shared_ptr<DeviceRanks>>& ranks,
    const std::function<void(const std::shared_ptr<DeviceRanks>& own)>& body) {
  std::vector<std::string> texts(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(ranks[rank]);
      } catch (const std::exception& error) {
        texts[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return texts;
}

}  // namespace xpose
