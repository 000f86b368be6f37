#include "fake_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace xpose {
namespace {

constexpr std::uint64_t kSmall = 1024;  // bytes that leave their sender at once

}  // namespace

// One rank's view of them.
class FakeRanks::One : public Ranks {
 public:
  One(FakeRanks& all, int rank) : all_(all), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(all_.members_.size()); }
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override;
  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override;
  std::vector<std::uint64_t> wait(double seconds) override;
  double seconds() const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.now_;
  }
  void abandon() noexcept override { is_abandoned_ = true; }

 private:
  void check() const {
    if (is_abandoned_) throw Error(ErrorKind::failed, "these ranks were given up");
  }

  FakeRanks& all_;
  int rank_;
  bool is_abandoned_ = false;
};

FakeRanks::FakeRanks(int size, std::uint64_t seed, RankFault fault)
    : fault_(fault), random_(seed), members_(static_cast<std::size_t>(size)) {}

// A dead rank throws from every call, a stopped one once the others have come to an end.
void FakeRanks::count_call(int rank, std::unique_lock<std::mutex>& lock) {
  if (rank != fault_.rank || ++member(rank).calls < fault_.call) return;
  fault_happened_ = true;
  leave(rank);
  if (fault_.is_stop) changed_.wait(lock, [&] { return is_released_; });
  throw Killed{};
}

void FakeRanks::end(int rank, std::uint64_t id) {
  Member& one = member(rank);
  if (one.state == State::is_gone) return;
  one.ended.push_back(id);
  if (one.state == State::waits) one.state = State::runs;
  changed_.notify_all();
}

void FakeRanks::match(const Key& key) {
  Queue& queue = queues_[key];
  while (!queue.sent.empty() && !queue.wanted.empty()) {
    const Transfer sent = queue.sent.front(), wanted = queue.wanted.front();
    queue.sent.pop_front();
    queue.wanted.pop_front();
    EXPECT_EQ(sent.bytes, wanted.bytes);
    std::memcpy(wanted.target.get(), sent.source.get(), std::min(sent.bytes, wanted.bytes));
    if (!sent.has_ended) end(std::get<0>(key), sent.id);
    end(std::get<1>(key), wanted.id);
  }
}

// Those that stopped go on once nobody else is left.
void FakeRanks::leave(int rank) {
  member(rank).state = State::is_gone;
  is_released_ =
      std::ranges::all_of(members_, [](const Member& one) { return one.state == State::is_gone; });
  if (is_released_) changed_.notify_all();
  move_clock();
}

// To the next end of a wait, once nobody has anything else to do.
void FakeRanks::move_clock() {
  double next = -1;
  for (const Member& one : members_) {
    if (one.state == State::runs) return;
    if (one.state == State::waits && (next < 0 || one.until < next)) next = one.until;
  }
  if (next < 0) return;
  now_ = next;
  for (Member& one : members_)
    if (one.state == State::waits && one.until <= now_) one.state = State::runs;
  changed_.notify_all();
}

void FakeRanks::One::send(int rank, int channel, std::shared_ptr<const std::byte[]> data,
                          std::uint64_t bytes, std::uint64_t id) {
  std::unique_lock lock(all_.mutex_);
  check();
  all_.count_call(rank_, lock);
  Member& own = all_.member(rank_);
  const bool is_small = bytes <= kSmall;
  if (channel == 0) {
    std::uint32_t word = 0;
    std::memcpy(&word, data.get(), sizeof word);
    own.notices.push_back(word);
  }
  if (is_small) {  // the sender may change its buffer now
    std::shared_ptr<std::byte[]> copy = std::make_shared<std::byte[]>(bytes);
    std::memcpy(copy.get(), data.get(), bytes);
    data = copy;
    all_.end(rank_, id);
  }
  Queue& queue = all_.queues_[{rank_, rank, channel}];
  queue.sent.push_back({data, nullptr, bytes, id, is_small});
  ++queue.begun;
  all_.match({rank_, rank, channel});
}

void FakeRanks::One::receive(int rank, int channel, std::shared_ptr<std::byte[]> data,
                             std::uint64_t bytes, std::uint64_t id) {
  std::unique_lock lock(all_.mutex_);
  check();
  all_.count_call(rank_, lock);
  all_.queues_[{rank, rank_, channel}].wanted.push_back({nullptr, data, bytes, id, false});
  all_.match({rank, rank_, channel});
}

std::vector<std::uint64_t> FakeRanks::One::wait(double seconds) {
  std::unique_lock lock(all_.mutex_);
  check();
  all_.count_call(rank_, lock);
  Member& own = all_.member(rank_);
  if (own.ended.empty() && seconds > 0) {
    own.state = State::waits;
    own.until = all_.now_ + seconds;
    all_.move_clock();
    all_.changed_.wait(lock, [&] { return own.state == State::runs; });
  }
  std::ranges::shuffle(own.ended, all_.random_);
  return std::exchange(own.ended, {});
}

std::vector<std::exception_ptr> FakeRanks::run(
    const std::function<void(const std::shared_ptr<Ranks>& ranks)>& body) {
  std::vector<std::exception_ptr> failures(members_.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < members_.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(std::make_shared<One>(*this, static_cast<int>(rank)));
      } catch (...) {
        failures[rank] = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      leave(static_cast<int>(rank));
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace xpose
