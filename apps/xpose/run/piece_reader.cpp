#include "run/piece_reader.hpp"

#include <algorithm>

namespace xpose::app {
namespace {

constexpr std::size_t kLongestPiece = 128 << 10;  // what Linux reads ahead at once by default
// Shorter pieces go through the page cache: past it each takes about a sector more, and a call.
// Less than the page that a plan gives its pieces, because those at the end of a row may be
// shorter.
constexpr std::size_t kDirectPiece = 3 << 10;
constexpr std::size_t kDirectSectors = 4;
constexpr std::size_t kPiecesAtOnce = 128;  // that the disk is asked for together

}  // namespace

void PieceReader::read(std::uint64_t offset, std::span<std::byte> to) {
  for (std::size_t at = 0; at < to.size(); at += kLongestPiece)
    read_piece({offset + at, to.subspan(at, std::min(kLongestPiece, to.size() - at))});
}

// A look into the page cache has the kernel read what is not there, too.
void PieceReader::read_piece(const FilePiece& piece) {
  if (file_.is_direct() &&
      piece.to.size() >= std::max(kDirectPiece, kDirectSectors * file_.sector_bytes()))
    return long_.push_back(piece);
  const std::size_t got = file_.read_cached(piece.offset, piece.to);
  if (got == piece.to.size()) return;
  missing_.push_back({piece.offset + got, piece.to.subspan(got)});
  file_.ask_for(missing_.back().offset, missing_.back().to.size());
  if (missing_.size() == kPiecesAtOnce) finish();
}

void PieceReader::finish() {
  for (const FilePiece& piece : missing_) file_.read(piece.offset, piece.to);
  missing_.clear();
  if (!long_.empty()) read_at_once(file_, long_);
  long_.clear();
}

}  // namespace xpose::app
