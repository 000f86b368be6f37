#include "run/direct_writes.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

namespace xpose::app {
namespace {

// A disk is as fast as it gets with so many calls at once.
constexpr std::size_t kThreads = 16;

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

class DirectWrites::Team {
 public:
  Team(Write write, int fd, std::vector<Sectors>& pieces)
      : write_(write), fd_(fd), pieces_(pieces) {}

  // Returns the first error, which ends all of them, or 0.
  int write(std::size_t threads) {
    std::vector<std::thread> others;
    try {
      const std::size_t most = std::min(threads, pieces_.size());
      while (others.size() + 1 < most) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had
    }
    work();
    for (std::thread& other : others) other.join();
    return error_;
  }

 private:
  void work() {
    const std::unique_ptr<std::byte, Freed> buffer(
        static_cast<std::byte*>(std::aligned_alloc(kSector, kBufferBytes)));
    if (!buffer) return;
    for (std::size_t i = 0; (i = next_++) < pieces_.size();)
      if (const int error = write(pieces_[i], buffer.get())) {
        int none = 0;
        error_.compare_exchange_strong(none, error);
        next_ = pieces_.size();
      }
  }

  // Takes off what has been written.
  int write(Sectors& piece, std::byte* buffer) const {
    std::memcpy(buffer, piece.bytes.data(), piece.bytes.size());
    while (!piece.bytes.empty()) {
      const ssize_t put = write_(fd_, buffer, piece.bytes.size(), static_cast<off_t>(piece.offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return errno;
      const std::size_t whole = static_cast<std::size_t>(put) / kSector * kSector;
      if (whole == 0) return EINVAL;  // less than a sector is for the cache
      piece.offset += whole;
      piece.bytes = piece.bytes.subspan(whole);
      buffer += whole;
    }
    return 0;
  }

  Write write_;
  int fd_;
  std::vector<Sectors>& pieces_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> error_ = 0;
};

bool DirectWrites::open(int fd, std::uint64_t most_memory) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT));
  if (file_.get() < 0) return false;
  threads_ = std::clamp<std::uint64_t>(most_memory / kBufferBytes, 1, kThreads);
  return true;
}

ByteRange DirectWrites::part_of(const ByteRange& range) const {
  const std::uint64_t begin = (range.begin + kSector - 1) / kSector * kSector;
  const std::uint64_t end = range.end / kSector * kSector;
  if (file_.get() < 0 || end < begin + kLeastBytes) return {range.end, range.end};
  return {begin, end};
}

int DirectWrites::write(std::vector<Sectors>& pieces) {
  std::vector<Sectors> parts;  // of a buffer each
  for (const Sectors& piece : pieces)
    for (std::size_t at = 0; at < piece.bytes.size(); at += kBufferBytes)
      parts.push_back({piece.offset + at,
                       piece.bytes.subspan(at, std::min(kBufferBytes, piece.bytes.size() - at))});
  const int error = Team(write_, file_.get(), parts).write(threads_);
  std::erase_if(parts, [](const Sectors& part) { return part.bytes.empty(); });
  pieces = std::move(parts);
  const bool is_refused = error == EINVAL || error == EOPNOTSUPP;
  if (is_refused) file_ = FileDescriptor();
  return is_refused ? 0 : error;
}

}  // namespace xpose::app
