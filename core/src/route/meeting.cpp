#include "route/meeting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "route/roll_call.hpp"

namespace xpose {
namespace {

// Within which ranks of a route that begins on all of them at once come.
constexpr std::chrono::microseconds kSoon{200};

// A thread that sleeps is woken late, which is long beside a short route.
template <class IsOver>
bool wait_soon(std::unique_lock<std::mutex>& lock, const IsOver& is_over) {
  const auto end = std::chrono::steady_clock::now() + kSoon;
  while (!is_over()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  return true;
}

}  // namespace

Meeting::Meeting(int size) : size_(size), next_(static_cast<std::size_t>(size)) {}

void Meeting::check_given_up(int rank) const {
  if (given_up_by_ == rank)
    throw Error(ErrorKind::failed, "these ranks were given up after a failure; make new ones");
  if (given_up_by_ >= 0) throw_gave_up(given_up_by_, ErrorKind::failed, "its own error says why");
}

std::vector<DeviceRanks::Notice> Meeting::gather(int rank, const DeviceRanks::Notice& own,
                                                 double seconds) {
  const auto slot = static_cast<std::size_t>(rank);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(seconds, 1e8));
  std::unique_lock lock(mutex_);
  check_given_up(rank);
  const std::uint64_t number = next_[slot]++;
  Round& round = rounds_[number];
  if (round.notices.empty()) {
    round.notices.resize(next_.size());
    round.is_here.resize(next_.size());
  }
  round.notices[slot] = own;
  round.is_here[slot] = true;
  if (++round.here == size_) changed_.notify_all();
  const auto is_over = [&] { return round.here == size_ || given_up_by_ >= 0; };
  if (!wait_soon(lock, is_over) && !changed_.wait_until(lock, end, is_over)) {
    const auto absent = std::ranges::find(round.is_here, false);
    const bool is_begin = own.front() == std::byte{0};
    throw_silent(static_cast<int>(absent - round.is_here.begin()), size_, seconds, !is_begin);
  }
  if (round.here < size_) check_given_up(rank);
  std::vector<DeviceRanks::Notice> all = round.notices;
  if (++round.left == size_) rounds_.erase(number);
  return all;
}

void Meeting::give_up(int rank) noexcept {
  const std::lock_guard lock(mutex_);
  if (given_up_by_ < 0) given_up_by_ = rank;
  changed_.notify_all();
}

}  // namespace xpose
