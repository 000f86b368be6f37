#include "route/shared_meeting.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "route/roll_call.hpp"

namespace xpose {
namespace {

// Ranks of a route that begins on all of them at once come within the first of these; the waits
// between later looks leave the processor to others.
constexpr double kSoonSeconds = 1e-3;
constexpr std::chrono::microseconds kRest{50};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// A rank is one round ahead of another at most, since it waits for all of them in each. So the
// notices of two rounds are enough.
struct alignas(64) SharedMeeting::Seat {
  std::atomic<std::uint64_t> rounds{0};  // that the rank has come to
  std::atomic<std::uint32_t> has_given_up{0};
  std::array<DeviceRanks::Notice, 2> notices{};
};

SharedMeeting::SharedMeeting(std::unique_ptr<detail::HostMemory> memory, int size)
    : memory_(std::move(memory)), size_(size) {}

std::size_t SharedMeeting::bytes(int size) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  return static_cast<std::size_t>(size) * sizeof(Seat);
}

SharedMeeting::Seat& SharedMeeting::seat(int rank) const {
  return reinterpret_cast<Seat*>(memory_->data())[rank];
}

std::unique_ptr<SharedMeeting> SharedMeeting::make(int size) {
  std::unique_ptr<detail::HostMemory> memory = detail::HostMemory::make(bytes(size));
  if (memory == nullptr) return nullptr;
  std::unique_ptr<SharedMeeting> made(new SharedMeeting(std::move(memory), size));
  for (int rank = 0; rank < size; ++rank) new (&made->seat(rank)) Seat;
  return made;
}

std::unique_ptr<SharedMeeting> SharedMeeting::open(const Name& name, int size) {
  std::unique_ptr<detail::HostMemory> memory = detail::HostMemory::open(name, bytes(size));
  if (memory == nullptr) return nullptr;
  return std::unique_ptr<SharedMeeting>(new SharedMeeting(std::move(memory), size));
}

std::vector<DeviceRanks::Notice> SharedMeeting::gather(int rank, const DeviceRanks::Notice& own,
                                                       double seconds) {
  const double end = seconds_now() + seconds;
  const bool is_begin = own.front() == std::byte{0};
  const std::uint64_t round = round_++;
  Seat& mine = seat(rank);
  mine.notices[round % 2] = own;
  mine.rounds.store(round + 1, std::memory_order_release);
  std::vector<DeviceRanks::Notice> all;
  all.reserve(static_cast<std::size_t>(size_));
  for (int other = 0; other < size_; ++other) {
    wait_for(other, rank, round, end, seconds, is_begin);
    all.push_back(seat(other).notices[round % 2]);
  }
  return all;
}

void SharedMeeting::wait_for(int other, int rank, std::uint64_t round, double end, double seconds,
                             bool is_begin) const {
  const double soon = seconds_now() + kSoonSeconds;
  while (seat(other).rounds.load(std::memory_order_acquire) <= round) {
    for (int any = 0; any < size_; ++any)
      if (any != rank && seat(any).has_given_up.load(std::memory_order_acquire) != 0)
        throw_gave_up(any, ErrorKind::failed, "its own error says why");
    const double now = seconds_now();
    if (now >= end) throw_silent(other, size_, seconds, !is_begin);
    if (now < soon)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kRest);
  }
}

void SharedMeeting::give_up(int rank) noexcept {
  seat(rank).has_given_up.store(1, std::memory_order_release);
}

}  // namespace xpose
