#include "run/file_move.hpp"

#include "run/block_plan.hpp"
#include "run/piece_reader.hpp"
#include "run/piece_writer.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kLine = 64;

class MatrixMove : public FileMove {
 public:
  MatrixMove(const FileMatrix& matrix, const TileLimits& limits)
      : plan_(matrix, limits), pitch_(row_pitch()) {}

  std::int64_t tiles() const override { return plan_.size(); }
  bool writes_in_order() const override { return plan_.writes_in_order(); }
  std::string tile_text() const override {
    return std::to_string(plan_.most_rows()) + 'x' + std::to_string(plan_.most_cols());
  }

  RunLengths runs() const override { return {plan_.in_run_bytes(), plan_.out_run_bytes()}; }

  TileWork work(std::int64_t tile) const override {
    const Tile t = plan_.tile(tile);
    return matrix_work(t.rows, t.cols, item_bytes(), pitch_);
  }
  TileWork most() const override {
    return matrix_work(plan_.most_rows(), plan_.most_cols(), item_bytes(), pitch_);
  }
  TileWork whole() const override {
    const FileMatrix& matrix = plan_.matrix();
    return matrix_work(matrix.rows, matrix.cols, item_bytes(),
                       static_cast<std::uint64_t>(matrix.cols) * matrix.item_bytes);
  }

  void read(const InputFile& file, std::int64_t tile, std::byte* to) const override;
  void write(OutputFile& file, std::int64_t tile, const std::byte* from) const override;

 private:
  std::uint32_t item_bytes() const { return static_cast<std::uint32_t>(plan_.matrix().item_bytes); }
  std::uint64_t row_pitch() const;

  BandPlan plan_;
  std::uint64_t pitch_;  // bytes from one row of a tile to the next in memory
};

// Whole lines, and no multiple of a page, where rows would fall into the same sets of the caches.
std::uint64_t MatrixMove::row_pitch() const {
  const FileMatrix& matrix = plan_.matrix();
  const std::uint64_t bytes = static_cast<std::uint64_t>(plan_.most_cols()) * matrix.item_bytes;
  const bool is_whole_rows = plan_.most_cols() == matrix.cols;
  if (is_whole_rows || bytes < 16 * kLine || kLine % matrix.item_bytes != 0) return bytes;
  const std::uint64_t lines = (bytes + kLine - 1) / kLine * kLine;
  return lines % BandPlan::kPage == 0 ? lines + kLine : lines;
}

void MatrixMove::read(const InputFile& file, std::int64_t tile, std::byte* to) const {
  PieceReader reader(file);
  const Tile t = plan_.tile(tile);
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
  BlockMove(const FilePermutation& file, const TileLimits& limits) : plan_(file, limits) {}

  std::int64_t tiles() const override { return plan_.size(); }
  bool writes_in_order() const override { return plan_.writes_in_order(); }
  std::string tile_text() const override { return shape_text(plan_.most_extents()); }

  RunLengths runs() const override { return {plan_.in_run_bytes(), plan_.out_run_bytes()}; }

  TileWork work(std::int64_t tile) const override { return work_of(plan_.block(tile).extents); }
  TileWork most() const override { return work_of(plan_.most_extents()); }
  TileWork whole() const override { return work_of(plan_.file().array.extents); }

  void read(const InputFile& file, std::int64_t tile, std::byte* to) const override {
    PieceReader reader(file);
    plan_.for_each_in_range(plan_.block(tile), [&](const ByteRange& range) {
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
  TileWork work_of(const std::vector<std::int64_t>& extents) const {
    const DenseArray& array = plan_.file().array;
    return permutation_work(folded({extents, array.axes, array.item_bytes}));
  }

  BlockPlan plan_;
};

}  // namespace

std::unique_ptr<FileMove> file_move(const FilePermutation& file, const TileLimits& limits) {
  if (const std::optional<FileMatrix> matrix = as_matrix(file))
    return std::make_unique<MatrixMove>(*matrix, limits);
  return std::make_unique<BlockMove>(file, limits);
}

}  // namespace xpose::app
