#include "run/band_plan.hpp"

#include <algorithm>
#include <cmath>

namespace xpose::app {
namespace {

constexpr std::int64_t kWholeLines = 64;  // elements: a tile's edge costs its kernels the most

// An output row that is not worth cutting, and the least piece of one that is cut: where they meet,
// a page may go to the disk twice.
constexpr std::uint64_t kShortRow = 8 * BandPlan::kPage;
constexpr std::uint64_t kShortPiece = 2 * BandPlan::kPage;

std::int64_t in_whole_lines(std::int64_t extent) {
  return extent > kWholeLines ? extent / kWholeLines * kWholeLines : extent;
}

std::uint64_t page_of(std::uint64_t byte) { return byte / BandPlan::kPage * BandPlan::kPage; }

}  // namespace

std::int64_t blocks_along(std::int64_t extent, std::int64_t block) {
  return extent / block + (extent % block != 0 ? 1 : 0);
}

std::int64_t like_blocks(std::int64_t extent, std::int64_t most) {
  if (most >= extent) return extent;
  most = in_whole_lines(most);
  const std::int64_t step = blocks_along(extent, blocks_along(extent, most));
  return std::min(blocks_along(step, kWholeLines) * kWholeLines, most);
}

ByteRange whole_pages(const ByteRange& range, const Neighbours& written) {
  const std::uint64_t begin = page_of(range.begin + (written.before ? 0 : BandPlan::kPage - 1));
  const std::uint64_t end = page_of(range.end + (written.behind ? BandPlan::kPage - 1 : 0));
  return {begin, std::max(begin, end)};
}

std::uint64_t data_bytes(const FileMatrix& matrix) {
  return static_cast<std::uint64_t>(matrix.rows) * static_cast<std::uint64_t>(matrix.cols) *
         matrix.item_bytes;
}

BandPlan::BandPlan(const FileMatrix& matrix, const TileLimits& limits)
    : matrix_(matrix), row_step_(matrix.rows) {
  const auto elements = [&](std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes / matrix.item_bytes);
  };
  const std::int64_t most = elements(limits.most_bytes);
  const std::int64_t piece = std::clamp<std::int64_t>(elements(limits.piece_bytes), 1, matrix.cols);
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(most)));
  const bool pieces_are_long = most / matrix.rows >= std::min(piece, side / 2);
  const bool may_be_in_order =
      limits.in_order && most / matrix.rows >= std::min(elements(kPage), matrix.cols);
  const bool rows_are_short = matrix.rows <= elements(kShortRow) &&
                              most / matrix.rows >= std::min(piece, elements(kShortPiece));
  if (may_be_in_order || pieces_are_long || rows_are_short) {
    const std::int64_t enough = elements(limits.enough_bytes) / matrix.rows;
    const std::int64_t width = std::clamp(in_whole_lines(enough), piece, matrix.cols);
    cut_columns(std::clamp<std::int64_t>(most / matrix.rows, 1, width));
    return;
  }
  // Pieces of the input are then as long as asked for, but no longer than those of the output; nor
  // shorter than a page, where both can be that long.
  const std::int64_t page = elements(kPage);
  std::int64_t rows = std::max(most / std::min(piece, side), elements(kShortPiece));
  if (piece >= page && side >= page) rows = std::min(rows, most / page);
  row_step_ = like_blocks(matrix.rows, rows);
  row_blocks_ = blocks_along(matrix.rows, row_step_);
  cut_columns(like_blocks(matrix.cols, most / row_step_));
}

// Where all rows begin at the same place of a page, blocks of columns begin with pages.
void BandPlan::cut_columns(std::int64_t width) {
  col_step_ = width;
  const std::uint64_t item = matrix_.item_bytes;
  const auto columns = static_cast<std::uint64_t>(matrix_.cols);
  const std::uint64_t width_bytes = static_cast<std::uint64_t>(width) * item;
  if (width < matrix_.cols && columns * item % kPage == 0 && width_bytes >= 2 * kPage &&
      kPage % item == 0 && matrix_.in_offset % item == 0) {
    col_step_ = static_cast<std::int64_t>(page_of(width_bytes) / item);
    col_shift_ = static_cast<std::int64_t>(matrix_.in_offset % kPage / item);
  }
  col_blocks_ = blocks_along(matrix_.cols + col_shift_, col_step_);
  const std::int64_t last = matrix_.cols + col_shift_ - (col_blocks_ - 1) * col_step_;
  if (col_blocks_ > 1 && last <= width - col_step_) --col_blocks_;  // the one before has room
}

Tile BandPlan::tile(std::int64_t index) const {
  const std::int64_t block = index / row_blocks_;
  const std::int64_t col = block * col_step_ - col_shift_;
  const std::int64_t end = block + 1 == col_blocks_ ? matrix_.cols : col + col_step_;
  Tile tile;
  tile.row = index % row_blocks_ * row_step_;
  tile.rows = std::min(row_step_, matrix_.rows - tile.row);
  tile.col = std::max<std::int64_t>(col, 0);
  tile.cols = end - tile.col;
  return tile;
}

std::int64_t BandPlan::most_cols() const {
  std::int64_t most = tile(size() - 1).cols;  // the first may be the narrowest
  for (const std::int64_t block : {std::int64_t{0}, std::min<std::int64_t>(1, col_blocks_ - 1)})
    most = std::max(most, tile(block * row_blocks_).cols);
  return most;
}

std::uint64_t BandPlan::in_run_bytes() const {
  const auto rows = static_cast<std::uint64_t>(most_cols() == matrix_.cols ? row_step_ : 1);
  return rows * static_cast<std::uint64_t>(most_cols()) * matrix_.item_bytes;
}

std::uint64_t BandPlan::out_run_bytes() const {
  const auto cols = static_cast<std::uint64_t>(writes_in_order() ? most_cols() : 1);
  return cols * static_cast<std::uint64_t>(row_step_) * matrix_.item_bytes;
}

ByteRange BandPlan::out_range(const Tile& tile, std::int64_t col) const {
  const std::uint64_t begin = matrix_.out_offset + (static_cast<std::uint64_t>(col) *
                                                        static_cast<std::uint64_t>(matrix_.rows) +
                                                    static_cast<std::uint64_t>(tile.row)) *
                                                       matrix_.item_bytes;
  return {begin, begin + static_cast<std::uint64_t>(tile.rows) * matrix_.item_bytes};
}

// In cut rows, where one ends and the next begins, the beginning is written first.
Neighbours BandPlan::written_beside(const Tile& tile) const {
  if (writes_in_order()) return {true, false};
  return {tile.row != 0, tile.row + tile.rows == matrix_.rows};
}

ByteRange BandPlan::in_range(const Tile& tile, std::int64_t row) const {
  const std::uint64_t begin = matrix_.in_offset + (static_cast<std::uint64_t>(row) *
                                                       static_cast<std::uint64_t>(matrix_.cols) +
                                                   static_cast<std::uint64_t>(tile.col)) *
                                                      matrix_.item_bytes;
  return {begin, begin + static_cast<std::uint64_t>(tile.cols) * matrix_.item_bytes};
}

}  // namespace xpose::app
