#include "run/file_move.hpp"

#include <algorithm>

#include "run/block_plan.hpp"
#include "run/piece_reader.hpp"
#include "run/piece_writer.hpp"
#include "run/tile_strips.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kLine = 64;

class MatrixMove : public FileMove {
 public:
  MatrixMove(const FileMatrix& matrix, const TileLimits& limits, std::uint64_t strip_bytes)
      : plan_(matrix, limits),
        strip_(strip_extents(array_of(largest()), strip_bytes)),
        pitch_(row_pitch()) {}

  std::int64_t tiles() const override { return plan_.size(); }
  bool writes_in_order() const override { return plan_.writes_in_order(); }
  std::string tile_text() const override {
    return std::to_string(plan_.most_rows()) + 'x' + std::to_string(plan_.most_cols());
  }

  RunLengths runs() const override {
    const std::uint64_t strip = static_cast<std::uint64_t>(strip_[1]) * item_bytes();
    return {strip_[1] < plan_.most_cols() ? strip : plan_.in_run_bytes(), plan_.out_run_bytes()};
  }

  std::uint64_t bytes(std::int64_t tile) const override {
    return array_of(plan_.tile(tile)).bytes();
  }
  std::uint64_t most_bytes() const override { return array_of(largest()).bytes(); }
  std::int64_t strips(std::int64_t tile) const override {
    return strips_of(plan_.tile(tile)).size();
  }

  PlacedWork work(const Strip& strip) const override {
    const Tile tile = plan_.tile(strip.tile);
    const TileStrips strips = strips_of(tile);
    const Block part = strips.strip(strip.number);
    return {work_of(part.extents, tile), strips.out_place(part)};
  }
  TileWork most() const override { return work_of(strip_, largest()); }
  TileWork whole() const override {
    const FileMatrix& matrix = plan_.matrix();
    return matrix_work(matrix.rows, matrix.cols, item_bytes(),
                       static_cast<std::uint64_t>(matrix.cols) * matrix.item_bytes, matrix.rows);
  }

  void read(const InputFile& file, const Strip& strip, std::byte* to) const override;
  void write(OutputFile& file, std::int64_t tile, const std::byte* from) const override;

 private:
  std::uint32_t item_bytes() const { return static_cast<std::uint32_t>(plan_.matrix().item_bytes); }
  DenseArray array_of(const Tile& tile) const {
    return {{tile.rows, tile.cols}, {1, 0}, plan_.matrix().item_bytes};
  }
  Tile largest() const { return {0, plan_.most_rows(), 0, plan_.most_cols()}; }
  TileStrips strips_of(const Tile& tile) const { return {array_of(tile), strip_}; }
  TileWork work_of(const std::vector<std::int64_t>& extents, const Tile& tile) const {
    return matrix_work(extents[0], extents[1], item_bytes(), pitch_, tile.rows);
  }
  std::uint64_t row_pitch() const;

  BandPlan plan_;
  std::vector<std::int64_t> strip_;  // rows and columns of the largest
  std::uint64_t pitch_;              // bytes from one row of a strip to the next in memory
};

// Whole lines, and no multiple of a page, where rows would fall into the same sets of the caches.
std::uint64_t MatrixMove::row_pitch() const {
  const FileMatrix& matrix = plan_.matrix();
  const std::uint64_t bytes = static_cast<std::uint64_t>(strip_[1]) * matrix.item_bytes;
  if (strip_[1] == matrix.cols || bytes < 16 * kLine || kLine % matrix.item_bytes != 0)
    return bytes;
  const std::uint64_t lines = (bytes + kLine - 1) / kLine * kLine;
  return lines % BandPlan::kPage == 0 ? lines + kLine : lines;
}

void MatrixMove::read(const InputFile& file, const Strip& strip, std::byte* to) const {
  PieceReader reader(file);
  const Tile tile = plan_.tile(strip.tile);
  const Block part = strips_of(tile).strip(strip.number);
  const Tile t = {tile.row + part.begin[0], part.extents[0], tile.col + part.begin[1],
                  part.extents[1]};
  const ByteRange first = plan_.in_range(t, t.row);
  const auto rows = static_cast<std::uint64_t>(t.rows);
  if (t.cols == plan_.matrix().cols && pitch_ == first.size()) {  // one range
    reader.read(first.begin, {to, first.size() * rows});
  } else {
    for (std::uint64_t i = 0; i < rows; ++i)
      reader.read(plan_.in_range(t, t.row + static_cast<std::int64_t>(i)).begin,
                  {to + i * pitch_, first.size()});
  }
  reader.finish();
}

void MatrixMove::write(OutputFile& file, std::int64_t tile, const std::byte* from) const {
  const Tile t = plan_.tile(tile);
  const Neighbours written = plan_.written_beside(t);
  const std::int64_t ranges = plan_.writes_in_order() ? 1 : t.cols;
  const std::int64_t rows_of_one = t.cols / ranges;
  PieceWriter writer(file);
  for (std::int64_t i = 0; i < ranges; ++i) {
    const ByteRange row = plan_.out_range(t, t.col + i);
    const std::size_t size = row.size() * static_cast<std::uint64_t>(rows_of_one);
    writer.write(row.begin, {from, size}, written);
    from += size;
  }
  writer.finish();
}

class BlockMove : public FileMove {
 public:
  BlockMove(const FilePermutation& file, const TileLimits& limits, std::uint64_t strip_bytes)
      : plan_(file, limits), strip_(strip_extents(array_of(plan_.most_extents()), strip_bytes)) {}

  std::int64_t tiles() const override { return plan_.size(); }
  bool writes_in_order() const override { return plan_.writes_in_order(); }
  std::string tile_text() const override { return shape_text(plan_.most_extents()); }

  RunLengths runs() const override {
    return {std::min(plan_.in_run_bytes(strip_), plan_.in_run_bytes()), plan_.out_run_bytes()};
  }

  std::uint64_t bytes(std::int64_t tile) const override {
    return array_of(plan_.block(tile).extents).bytes();
  }
  std::uint64_t most_bytes() const override { return array_of(plan_.most_extents()).bytes(); }
  std::int64_t strips(std::int64_t tile) const override {
    return strips_of(plan_.block(tile).extents).size();
  }

  PlacedWork work(const Strip& strip) const override {
    const TileStrips strips = strips_of(plan_.block(strip.tile).extents);
    const Block part = strips.strip(strip.number);
    return {work_of(part.extents, strips), strips.out_place(part)};
  }
  TileWork most() const override { return work_of(strip_, strips_of(plan_.most_extents())); }
  TileWork whole() const override { return permutation_work(plan_.file().array); }

  void read(const InputFile& file, const Strip& strip, std::byte* to) const override {
    PieceReader reader(file);
    const Block tile = plan_.block(strip.tile);
    Block part = strips_of(tile.extents).strip(strip.number);
    for (std::size_t axis = 0; axis < tile.begin.size(); ++axis)
      part.begin[axis] += tile.begin[axis];
    plan_.for_each_in_range(part, [&](const ByteRange& range) {
      reader.read(range.begin, {to, range.size()});
      to += range.size();
    });
    reader.finish();
  }
  void write(OutputFile& file, std::int64_t tile, const std::byte* from) const override {
    PieceWriter writer(file);
    plan_.for_each_out_range(plan_.block(tile),
                             [&](const ByteRange& range, const Neighbours& written) {
                               writer.write(range.begin, {from, range.size()}, written);
                               from += range.size();
                             });
    writer.finish();
  }

 private:
  DenseArray array_of(const std::vector<std::int64_t>& extents) const {
    const DenseArray& array = plan_.file().array;
    return {extents, array.axes, array.item_bytes};
  }
  TileStrips strips_of(const std::vector<std::int64_t>& tile) const {
    return {array_of(tile), strip_};
  }
  TileWork work_of(const std::vector<std::int64_t>& extents, const TileStrips& strips) const {
    const DenseArray array = array_of(extents);
    return strips.size() == 1 ? permutation_work(folded(array))
                              : permutation_work(array, strips.out_strides());
  }

  BlockPlan plan_;
  std::vector<std::int64_t> strip_;  // extents of the largest
};

}  // namespace

std::unique_ptr<FileMove> file_move(const FilePermutation& file, const TileLimits& limits,
                                    std::uint64_t strip_bytes) {
  if (const std::optional<FileMatrix> matrix = as_matrix(file))
    return std::make_unique<MatrixMove>(*matrix, limits, strip_bytes);
  return std::make_unique<BlockMove>(file, limits, strip_bytes);
}

}  // namespace xpose::app
