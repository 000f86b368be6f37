// How a form is moved: in what pieces, and by what tiles.
#pragma once

#include <cstdint>
#include <string>

#include "tiling.hpp"
#include "work.hpp"

namespace cuda_permute {

struct CutWish {
  int64_t run;         // bytes of a run of the output
  bool direct;         // without shared memory
  bool load_words;     // of small elements, where runs are of whole words
  bool store_words;    // likewise
  int64_t processors;  // that want a tile each
};

class Cut {
 public:
  Cut(Form form, const CutWish& wish);

  const Form& form() const { return form_; }
  const Tile& tile() const { return tile_; }
  bool direct() const { return wish_.direct; }
  int64_t side() const { return side_; }  // of a square; elements
  bool stores_columns() const;            // of squares, one by one
  bool far() const { return far_; }       // offsets within a tile exceed 32 bits
  bool loads_words() const { return load_words_; }
  bool stores_words() const { return store_words_; }
  Work work() const;
  int64_t tiles_of_block() const;   // as it is fastest
  uint64_t shared_bytes() const;    // with room for padding
  int64_t words_of_input() const;   // axes_of_words
  uint32_t slower_percent() const;  // of a quote; NOTES.md says what is measured
  std::string way() const;          // for people

 private:
  bool moves_words() const { return load_words_ || store_words_; }
  void cut();
  void cut_for_words();
  int64_t words_of_output() const;
  bool spans_far() const;
  Tile tile_for() const;

  Form form_;
  CutWish wish_;
  int64_t side_;
  bool far_ = false, load_words_ = false, store_words_ = false;
  Tile tile_;
};

}  // namespace cuda_permute
