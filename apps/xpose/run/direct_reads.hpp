// Pieces of a file that are read past the page cache, many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/input_file.hpp"

namespace xpose::app {

struct FilePiece {
  std::uint64_t offset;
  std::span<std::byte> to;
};

// Fills all of them, by several threads where there are threads to be had. file: open_direct().
// Throws as InputFile does.
void read_at_once(const InputFile& file, const std::vector<FilePiece>& pieces);

}  // namespace xpose::app
