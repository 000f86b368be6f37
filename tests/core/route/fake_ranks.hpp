// Ranks that are threads of this process, with a clock that moves only while all of them wait: a
// deadline passes at once, and never because the machine is busy.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <tuple>
#include <vector>

#include "xpose/ranks.hpp"

namespace xpose {

// The end of a rank by a fault: no Error, and nobody is told.
struct Killed {};

// A rank that meets its end in its n-th call to its Ranks: it dies there, or stops and never goes
// on.
struct RankFault {
  int rank = -1;
  int call = 0;  // from 1 on
  bool is_stop = false;
};

class FakeRanks {
 public:
  explicit FakeRanks(int size, std::uint64_t seed = 1, RankFault fault = {});

  // Runs the body once for each rank, in a thread of its own; returns the exceptions by rank, null
  // where the body returned.
  std::vector<std::exception_ptr> run(
      const std::function<void(const std::shared_ptr<Ranks>& ranks)>& body);

  bool fault_happened() const { return fault_happened_; }
  double now() const { return now_; }
  // The first four bytes of the notices that a rank had sent, in their order.
  const std::vector<std::uint32_t>& notices(int rank) const {
    return members_[static_cast<std::size_t>(rank)].notices;
  }
  // Messages that one rank had begun to send to another on a channel.
  int sent(int from, int to, int channel) const {
    const auto queue = queues_.find({from, to, channel});
    return queue == queues_.end() ? 0 : queue->second.begun;
  }

 private:
  class One;
  struct Transfer {
    std::shared_ptr<const std::byte[]> source;
    std::shared_ptr<std::byte[]> target;
    std::uint64_t bytes;
    std::uint64_t id;
    bool has_ended;  // a small message that has left its sender
  };
  struct Queue {
    std::deque<Transfer> sent, wanted;
    int begun = 0;  // that were ever sent
  };
  enum class State { runs, waits, is_gone };
  struct Member {
    State state = State::runs;
    double until = 0;
    int calls = 0;
    std::vector<std::uint64_t> ended;
    std::vector<std::uint32_t> notices;
  };
  using Key = std::tuple<int, int, int>;  // from, to, channel

  Member& member(int rank) { return members_[static_cast<std::size_t>(rank)]; }
  void count_call(int rank, std::unique_lock<std::mutex>& lock);
  void match(const Key& key);
  void end(int rank, std::uint64_t id);
  void leave(int rank);
  void move_clock();

  std::mutex mutex_;
  std::condition_variable changed_;
  double now_ = 0;
  RankFault fault_;
  bool fault_happened_ = false, is_released_ = false;
  std::mt19937_64 random_;
  std::vector<Member> members_;
  std::map<Key, Queue> queues_;
};

}  // namespace xpose
