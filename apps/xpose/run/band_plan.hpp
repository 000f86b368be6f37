// How the matrix of a file is cut into tiles that fit into memory, so that each is read, transposed
// and written once. Pure arithmetic.
#pragma once

#include <cstdint>

namespace xpose::app {

// A matrix in one file, dense and row-major, and its transpose in another.
struct FileMatrix {
  std::int64_t rows = 0;  // of the input, 1 or more
  std::int64_t cols = 0;
  std::uint64_t item_bytes = 0;
  std::uint64_t in_offset = 0;   // bytes from the start of the file to element 0
  std::uint64_t out_offset = 0;  // of the output
};

std::uint64_t data_bytes(const FileMatrix& matrix);

struct TileLimits {
  std::uint64_t most_bytes = 0;    // of one tile; 64 KiB or more
  std::uint64_t enough_bytes = 0;  // a larger tile is taken only for the sake of its pieces
  std::uint64_t piece_bytes = 0;   // to be read at once, from each row of the input
  bool in_order = false;           // of the output's bytes, if pieces have a page of them at least
  std::uint64_t band_bytes = 0;    // of a band and a range, in two passes
  bool in_turn = false;            // a tile has the memory of two, and is read when none is written
};

// A block of the input that is transposed at once.
struct Tile {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t col = 0;
  std::int64_t cols = 0;
  bool operator==(const Tile&) const = default;
};

// Bytes of a file.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

// Whether the bytes beside a written range are in the file already; the rest is still to come.
struct Neighbours {
  bool before = false;
  bool behind = false;
};

// The pages of the range that nobody is to write to any more: a page that two ranges share is whole
// with the later one.
ByteRange whole_pages(const ByteRange& range, const Neighbours& written);

std::int64_t blocks_along(std::int64_t extent, std::int64_t block);

// The extent of blocks that are alike, none longer than the most, and of whole lines of memory
// where that has room.
std::int64_t like_blocks(std::int64_t extent, std::int64_t most);

// Tiles hold whole output rows where pieces of that many input columns are long enough: the output
// is then written in the order of its bytes. Else output rows are cut as well, and a block of them
// is written to its end before the next.
class BandPlan {
 public:
  static constexpr std::uint64_t kPage = 4096;

  BandPlan(const FileMatrix& matrix, const TileLimits& limits);

  const FileMatrix& matrix() const { return matrix_; }
  std::int64_t size() const { return row_blocks_ * col_blocks_; }
  Tile tile(std::int64_t index) const;                  // in the order of writing
  std::int64_t most_rows() const { return row_step_; }  // of any tile
  std::int64_t most_cols() const;

  // Whether a tile's output is one range of the file, behind that of the tile before.
  bool writes_in_order() const { return row_blocks_ == 1; }

  // Of the largest tile: bytes that lie together in the input, and in the output.
  std::uint64_t in_run_bytes() const;
  std::uint64_t out_run_bytes() const;

  // The bytes of a tile in output row `col`, which lie `rows` elements apart in its transpose.
  ByteRange out_range(const Tile& tile, std::int64_t col) const;
  Neighbours written_beside(const Tile& tile) const;  // its output ranges

  // The bytes of a tile in input row `row`.
  ByteRange in_range(const Tile& tile, std::int64_t row) const;

 private:
  void cut_columns(std::int64_t width);

  FileMatrix matrix_;
  std::int64_t row_step_ = 0;
  std::int64_t row_blocks_ = 1;
  std::int64_t col_step_ = 0;
  std::int64_t col_shift_ = 0;  // by which the first block of columns is narrower
  std::int64_t col_blocks_ = 1;
};

}  // namespace xpose::app
