#include "run/direct_writes.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "run/transfers_at_once.hpp"

namespace xpose::app {
namespace {

// A disk is as fast as it gets with so many calls at once.
constexpr std::size_t kTransfers = 32;
constexpr std::size_t kThreads = 16;

// Takes off what has been written. Each has a buffer at most.
class PiecesToWrite : public Pieces {
 public:
  explicit PiecesToWrite(std::vector<Sectors>& pieces) : left_(pieces) {}

  std::size_t size() const override { return left_.size(); }

  std::optional<Transfer> next(std::size_t i, std::span<std::byte> buffer) override {
    const Sectors& piece = left_[i];
    if (piece.bytes.empty()) return std::nullopt;
    std::memcpy(buffer.data(), piece.bytes.data(), piece.bytes.size());
    return Transfer{piece.offset, buffer.first(piece.bytes.size())};
  }

  void moved(std::size_t i, const Transfer&, ssize_t result) override {
    constexpr std::size_t kSector = DirectWrites::kSector;
    if (result == -EINTR) return;
    if (result < 0) refuse(static_cast<int>(-result));
    const std::size_t whole = static_cast<std::size_t>(result) / kSector * kSector;
    if (whole == 0) refuse(EINVAL);  // less than a sector is for the cache
    left_[i].offset += whole;
    left_[i].bytes = left_[i].bytes.subspan(whole);
  }

 private:
  [[noreturn]] static void refuse(int error) {
    throw std::system_error(error, std::generic_category());
  }

  std::vector<Sectors>& left_;
};

// Returns 0, or the first error.
int error_of(const DirectFile& file, std::vector<Sectors>& parts, const AtOnce& how) try {
  PiecesToWrite pieces(parts);
  move_at_once(file, pieces, how);
  return 0;
} catch (const std::system_error& error) {
  return error.code().value();
}

}  // namespace

bool DirectWrites::open(int fd, std::uint64_t most_memory) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT));
  if (file_.get() < 0) return false;
  buffers_ = std::clamp<std::uint64_t>(most_memory / kBufferBytes, 1, kTransfers);
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
  const auto call = [this](const Transfer& t) {
    const ssize_t put =
        write_(file_.get(), t.bytes.data(), t.bytes.size(), static_cast<off_t>(t.offset));
    return put < 0 ? -errno : put;
  };
  const int error = error_of({DirectFile::Direction::write, file_.get(), call}, parts,
                             {buffers_, std::min(buffers_, kThreads), kBufferBytes, make_ring_});
  std::erase_if(parts, [](const Sectors& part) { return part.bytes.empty(); });
  pieces = std::move(parts);
  const bool is_refused = error == EINVAL || error == EOPNOTSUPP;
  if (is_refused) file_ = FileDescriptor();
  return is_refused ? 0 : error;
}

}  // namespace xpose::app
