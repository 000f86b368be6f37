#include "run/band_reader.hpp"

#include <algorithm>
#include <vector>

namespace xpose::app {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kLongestPiece = 128 << 10;  // what Linux reads ahead at once by default
constexpr std::size_t kPiecesAtOnce = 128;          // that the disk is asked for together

}  // namespace

std::uint64_t BandReader::row_pitch() const {
  const FileMatrix& matrix = plan_.matrix();
  const std::uint64_t bytes = static_cast<std::uint64_t>(plan_.most_cols()) * matrix.item_bytes;
  const bool is_whole_rows = plan_.most_cols() == matrix.cols;
  if (is_whole_rows || bytes < 16 * kLine || kLine % matrix.item_bytes != 0) return bytes;
  const std::uint64_t lines = (bytes + kLine - 1) / kLine * kLine;
  return lines % BandPlan::kPage == 0 ? lines + kLine : lines;
}

template <class Take>
void BandReader::for_each_piece(const Tile& tile, std::byte* to, const Take& take) const {
  const std::uint64_t pitch = row_pitch();
  const std::uint64_t row_bytes = plan_.in_range(tile, tile.row).size();
  // Rows that follow each other in the file and in memory are one.
  const bool is_one = tile.cols == plan_.matrix().cols && pitch == row_bytes;
  const std::int64_t parts = is_one ? 1 : tile.rows;
  const std::uint64_t part = is_one ? row_bytes * static_cast<std::uint64_t>(tile.rows) : row_bytes;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::uint64_t begin = plan_.in_range(tile, tile.row + i).begin;
    std::byte* const row = to + static_cast<std::uint64_t>(i) * pitch;
    for (std::uint64_t at = 0; at < part; at += kLongestPiece)
      take({begin + at, {row + at, std::min(kLongestPiece, part - at)}});
  }
}

void BandReader::read(const Tile& tile, std::byte* to) const {
  std::vector<Piece> missing;
  const auto wait = [&] {
    for (const Piece& piece : missing) file_.read(piece.offset, piece.to);
    missing.clear();
  };
  for_each_piece(tile, to, [&](const Piece& piece) {
    const std::size_t got = file_.read_cached(piece.offset, piece.to);
    if (got == piece.to.size()) return;
    missing.push_back({piece.offset + got, piece.to.subspan(got)});
    file_.ask_for(missing.back().offset, missing.back().to.size());
    if (missing.size() == kPiecesAtOnce) wait();
  });
  wait();
}

}  // namespace xpose::app
