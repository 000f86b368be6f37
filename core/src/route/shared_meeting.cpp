#include "route/shared_meeting.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <new>
#include <random>
#include <string>
#include <thread>

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

std::uint64_t draw() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

// A rank is one round ahead of another at most, since it waits for all of them in each. So the
// notices of two rounds are enough.
struct alignas(64) SharedMeeting::Seat {
  std::atomic<std::uint64_t> rounds{0};  // that the rank has come to
  std::atomic<std::uint32_t> has_given_up{0};
  std::array<DeviceRanks::Notice, 2> notices{};
};

struct alignas(64) SharedMeeting::Memory {
  std::uint64_t drawn;

  static std::size_t bytes(int size) {
    return sizeof(Memory) + static_cast<std::size_t>(size) * sizeof(Seat);
  }
};

SharedMeeting::SharedMeeting(Descriptor file, Memory* memory, int size)
    : file_(std::move(file)), memory_(memory), size_(size) {}

SharedMeeting::~SharedMeeting() { ::munmap(memory_, Memory::bytes(size_)); }

SharedMeeting::Seat& SharedMeeting::seat(int rank) const {
  return reinterpret_cast<Seat*>(memory_ + 1)[rank];
}

std::unique_ptr<SharedMeeting> SharedMeeting::map(Descriptor file, int size) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  void* const memory =
      ::mmap(nullptr, Memory::bytes(size), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return nullptr;
  return std::unique_ptr<SharedMeeting>(
      new SharedMeeting(std::move(file), static_cast<Memory*>(memory), size));
}

std::unique_ptr<SharedMeeting> SharedMeeting::make(int size) {
  Descriptor file(::memfd_create("xpose ranks", MFD_CLOEXEC));
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(Memory::bytes(size))) != 0)
    return nullptr;
  const int number = file.get();
  std::unique_ptr<SharedMeeting> made = map(std::move(file), size);
  if (made == nullptr) return nullptr;
  made->name_ = {static_cast<std::int32_t>(::getpid()), number, draw()};
  made->memory_->drawn = made->name_.drawn;
  for (int rank = 0; rank < size; ++rank) new (&made->seat(rank)) Seat;
  return made;
}

std::unique_ptr<SharedMeeting> SharedMeeting::open(const Name& name, int size) {
  if (name.process == 0) return nullptr;
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size != static_cast<off_t>(Memory::bytes(size)))
    return nullptr;
  std::unique_ptr<SharedMeeting> opened = map(std::move(file), size);
  if (opened == nullptr || opened->memory_->drawn != name.drawn) return nullptr;
  opened->name_ = name;
  return opened;
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
