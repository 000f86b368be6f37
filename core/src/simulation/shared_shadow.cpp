#include "simulation/shared_shadow.hpp"

namespace xpose {

// Makes cells up to `end` bytes, no wider than 1 << shift.
void SharedShadow::cover(std::uint64_t end, unsigned shift) {
  if (shift < shift_) {
    const std::size_t pieces = std::size_t{1} << (shift_ - shift);
    std::vector<Cell> narrow;
    narrow.reserve(cells_.size() * pieces);
    for (const Cell& cell : cells_) narrow.insert(narrow.end(), pieces, cell);
    cells_ = std::move(narrow);
    shift_ = shift;
  }
  const std::uint64_t needed = (end + (std::uint64_t{1} << shift_) - 1) >> shift_;
  if (needed > cells_.size()) cells_.resize(needed);
}

// The cells of a word's bytes, made from its own where there are none yet.
SharedShadow::Cell* SharedShadow::bytes_of(Cell& word) {
  if (!word.is_split) {
    const std::size_t first = bytes_.size();
    bytes_.insert(bytes_.end(), std::size_t{1} << kWord, Cell(word));
    word.written = static_cast<std::uint32_t>(first);
    word.is_split = true;
  }
  return &bytes_[word.written];
}

}  // namespace xpose
