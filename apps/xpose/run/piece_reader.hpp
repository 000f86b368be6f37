// Reads many pieces of a file, those that do not lie in memory several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/direct_reads.hpp"

namespace xpose::app {

class PieceReader {
 public:
  explicit PieceReader(const InputFile& file) : file_(file) {}

  // Fills the span from that place on, by finish() at the latest. Throws as InputFile does.
  void read(std::uint64_t offset, std::span<std::byte> to);
  void finish();

 private:
  void read_piece(const FilePiece& piece);

  const InputFile& file_;
  std::vector<FilePiece> missing_;
  std::vector<FilePiece> long_;  // to be read past the page cache
};

}  // namespace xpose::app
