#include "run/direct_writes.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "run/transfers_at_once.hpp"

namespace xpose::app {
namespace {

// A disk is as fast as it gets with so many calls at once, and with more of short ones.
constexpr std::size_t kTransfers = 32;
constexpr std::size_t kShortTransfers = 64;
constexpr std::size_t kThreads = 16;

// Takes off what has been written. Each has a buffer at most.
class PiecesToWrite : public Pieces {
 public:
  explicit PiecesToWrite(std::vector<Sectors>& pieces) : left_(pieces) {}

  std::size_t size() const override { return left_.size(); }

  std::optional<Transfer> next(std::size_t i, std::span<std::byte> buffer) override {
    const Sectors& piece = left_[i];
    if (piece.size() == 0) return std::nullopt;
    piece.copy_to(buffer.data());
    return Transfer{piece.offset, buffer.first(piece.size())};
  }

  void moved(std::size_t i, const Transfer&, ssize_t result) override {
    constexpr std::size_t kSector = DirectWrites::kSector;
    if (result == -EINTR) return;
    if (result < 0) refuse(static_cast<int>(-result));
    const std::size_t whole = static_cast<std::size_t>(result) / kSector * kSector;
    if (whole == 0) refuse(EINVAL);  // less than a sector is for the cache
    left_[i].drop(whole);
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

// Parts of a buffer each.
std::vector<Sectors> cut(std::vector<Sectors>& pieces) {
  constexpr std::size_t kMost = DirectWrites::kBufferBytes;
  std::vector<Sectors> parts;
  for (Sectors& piece : pieces) {
    while (piece.size() > kMost) {
      const std::size_t size = kMost - piece.before.size();
      parts.push_back({piece.offset, piece.bytes.first(size), std::exchange(piece.before, {})});
      piece = {piece.offset + kMost, piece.bytes.subspan(size), {}, std::move(piece.behind)};
    }
    parts.push_back(std::move(piece));
  }
  return parts;
}

}  // namespace

void Sectors::copy_to(std::byte* to) const {
  for (const std::span<const std::byte> part :
       {std::span<const std::byte>(before), bytes, std::span<const std::byte>(behind)})
    to = std::ranges::copy(part, to).out;
}

void Sectors::drop(std::size_t count) {
  offset += count;
  const auto drop_from = [&count](std::vector<std::byte>& part) {
    const std::size_t size = std::min(count, part.size());
    part.erase(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(size));
    count -= size;
  };
  drop_from(before);
  const std::size_t size = std::min(count, bytes.size());
  bytes = bytes.subspan(size);
  count -= size;
  drop_from(behind);
}

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
  std::vector<Sectors> parts = cut(pieces);
  std::size_t longest = kSector;
  for (const Sectors& part : parts) longest = std::max(longest, part.size());
  const std::size_t transfers = std::min(buffers_ * kBufferBytes / longest,
                                         longest < kBufferBytes ? kShortTransfers : kTransfers);
  const auto call = [this](const Transfer& t) {
    const ssize_t put =
        write_(file_.get(), t.bytes.data(), t.bytes.size(), static_cast<off_t>(t.offset));
    return put < 0 ? -errno : put;
  };
  const int error = error_of({DirectFile::Direction::write, file_.get(), call}, parts,
                             {transfers, std::min(transfers, kThreads), longest, make_ring_});
  std::erase_if(parts, [](const Sectors& part) { return part.size() == 0; });
  pieces = std::move(parts);
  const bool is_refused = error == EINVAL || error == EOPNOTSUPP;
  if (is_refused) file_ = FileDescriptor();
  return is_refused ? 0 : error;
}

}  // namespace xpose::app
