// Pieces of a file that are read past the page cache, many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/input_file.hpp"
#include "run/ring.hpp"

namespace xpose::app {

struct FilePiece {
  std::uint64_t offset;
  std::span<std::byte> to;
};

// Fills all of them, by a ring, or by several threads where it is refused and there are threads to
// be had. file: open_direct(). Throws as InputFile does.
void read_at_once(const InputFile& file, const std::vector<FilePiece>& pieces,
                  MakeRing make_ring = app::make_ring);

}  // namespace xpose::app
