// Writes many pieces of a file past the page cache, several at once: the long ones, or all but
// very short ones where pieces leave their edges for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/direct_writes.hpp"
#include "run/output_file.hpp"

namespace xpose::app {

class PieceWriter {
 public:
  explicit PieceWriter(OutputFile& file) : file_(file) {}

  // Writes the bytes, which stay until finish(), to that place, by finish() at the latest. Both
  // throw as OutputFile does.
  void write(std::uint64_t offset, std::span<const std::byte> bytes, const Neighbours& written);
  void finish();

 private:
  bool joins(std::size_t bytes) const;
  void join_head(Sectors& piece, const Neighbours& written);
  void join_tail(Sectors& piece, bool is_written_behind);
  void leave(std::uint64_t offset, std::vector<std::byte> edge, PageEdges::Wait wait);
  void put(Sectors piece);

  OutputFile& file_;
  std::vector<Sectors> pieces_;  // to be written past the page cache
};

}  // namespace xpose::app
