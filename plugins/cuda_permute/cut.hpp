// How a form is moved: in what pieces, and by what tiles.
#pragma once

#include <cstdint>
#include <string>

#include "tiling.hpp"
#include "work.hpp"

namespace cuda_permute {

enum class Way {
  squares,       // of elements; of one where there are no larger ones
  bulk_squares,  // those of rows of kBulkBytes, loaded by bulk copies
  runs,          // of elements of up to 8 bytes that form no squares
  joined,        // of elements of 1 or 2 bytes, by columns that are joined to words
  strips,        // words of rows that are interleaved
  direct,        // kept runs of elements of kKeptWord, without shared memory
  shifted,       // kept runs of smaller elements, by words that are shifted
  bulk,          // kept runs, by bulk copies
};

struct CutWish {
  int64_t run;          // bytes of a run of the output
  bool direct;          // kept runs for themselves
  bool bulk = false;    // where the device has bulk copies
  bool strips = false;  // small elements in strips, where the form has them
  bool runs = false;    // small elements by runs
  bool joined = false;  // those of 1 or 2 bytes joined by columns
  int64_t processors;   // that want a tile each
  int64_t cache = 0;    // bytes, for a quote; 0: not known
};

// Whether elements of the form may be joined by columns, or moved in strips; a cut tells whether
// they are.
bool may_join(const Form& form);
bool may_have_strips(const Form& form);

class Cut {
 public:
  Cut(Form form, const CutWish& wish);

  const Form& form() const { return form_; }  // of strips: in words
  const Tile& tile() const { return tile_; }
  Way way() const { return way_; }
  int64_t side() const { return side_; }  // of a square; elements
  bool stores_columns() const;            // of squares, one by one
  bool has_larger_tile() const;           // than usual, of more squares a thread
  bool far() const { return far_; }       // offsets within a tile exceed 32 bits; not of shifted
  // Of strips: bytes of the elements that words have, and the axis of the form that numbers the
  // rows; -1: none.
  int64_t strip_element() const { return strip_element_; }
  int strip_rows() const { return strip_rows_; }
  Work work() const;
  int64_t tiles_of_block() const;  // as it is fastest
  uint32_t threads() const;        // of a block
  uint64_t shared_bytes() const;   // with room for padding
  // Of a quote; NOTES.md says what is measured. `effort`: of a tile that is moved by runs,
  // divisions for its tables for an element; of one that is joined, instructions for a word.
  uint32_t slower_percent(bool along_input, double effort) const;
  std::string name() const;  // of the way, for people

 private:
  void cut();
  bool spans_far() const;
  Tile tile_for() const;
  int64_t kept_extent() const;
  bool shares_sectors() const;
  bool ends_apart(bool along_input) const;
  double filled() const;
  double stepped() const;
  double stepping() const;
  double direct_percent() const;
  double percent_by_size() const;
  int64_t setup() const;

  Form form_;
  CutWish wish_;
  int64_t side_;
  int64_t strip_element_ = 0;
  int strip_rows_ = -1;
  Way way_;
  bool far_ = false;
  Tile tile_;
};

}  // namespace cuda_permute
