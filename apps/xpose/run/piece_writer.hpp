// Writes many pieces of a file, the long ones past the page cache and several at once.
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
  OutputFile& file_;
  std::vector<Sectors> long_;  // to be written past the page cache
};

}  // namespace xpose::app
