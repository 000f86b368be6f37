#include "run/direct_reads.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "run/transfers_at_once.hpp"

namespace xpose::app {
namespace {

// A disk is as fast as it gets with so much under way at once: by a ring, of short pieces more.
constexpr std::size_t kBytesUnderWay = std::size_t{4} << 20;
constexpr std::size_t kLeastTransfers = 32;
constexpr std::size_t kMostTransfers = 64;
constexpr std::size_t kThreads = 16;
constexpr std::size_t kLongestRead = std::size_t{128} << 10;

// For the longest piece, with the sectors that it begins and ends in.
std::size_t buffer_bytes(const std::vector<FilePiece>& pieces) {
  constexpr std::size_t kSector = InputFile::kSector;
  std::size_t longest = 0;
  for (const FilePiece& piece : pieces) longest = std::max(longest, piece.to.size());
  return std::min(longest, kLongestRead) / kSector * kSector + 2 * kSector;
}

class PiecesToRead : public Pieces {
 public:
  PiecesToRead(const InputFile& file, const std::vector<FilePiece>& pieces)
      : file_(file), left_(pieces) {}

  std::size_t size() const override { return left_.size(); }

  std::optional<Transfer> next(std::size_t i, std::span<std::byte> buffer) override {
    if (left_[i].to.empty()) return std::nullopt;
    return file_.direct_read(left_[i].offset, left_[i].to.size(), buffer);
  }

  void moved(std::size_t i, const Transfer& transfer, ssize_t result) override {
    FilePiece& piece = left_[i];
    const std::size_t size = file_.take_direct(piece.offset, piece.to, transfer, result);
    piece.offset += size;
    piece.to = piece.to.subspan(size);
  }

 private:
  const InputFile& file_;
  std::vector<FilePiece> left_;
};

}  // namespace

void read_at_once(const InputFile& file, const std::vector<FilePiece>& pieces, MakeRing make_ring) {
  const int fd = file.direct_fd();
  const auto call = [fd](const Transfer& t) {
    const ssize_t got = pread(fd, t.bytes.data(), t.bytes.size(), static_cast<off_t>(t.offset));
    return got < 0 ? -errno : got;
  };
  PiecesToRead left(file, pieces);
  const std::size_t buffer = buffer_bytes(pieces);
  const std::size_t transfers =
      std::clamp(kBytesUnderWay / buffer, kLeastTransfers, kMostTransfers);
  if (!move_at_once({DirectFile::Direction::read, fd, call}, left,
                    {transfers, kThreads, buffer, make_ring}))
    throw std::bad_alloc();
}

}  // namespace xpose::app
