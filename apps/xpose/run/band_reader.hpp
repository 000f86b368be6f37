// Reads tiles of a file into memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/band_plan.hpp"
#include "run/input_file.hpp"

namespace xpose::app {

class BandReader {
 public:
  BandReader(const InputFile& file, const BandPlan& plan) : file_(file), plan_(plan) {}

  // Bytes from one row of any tile to the next in memory: whole lines, and no multiple of a page,
  // where rows would fall into the same sets of the caches.
  std::uint64_t row_pitch() const;

  // Fills rows of that pitch. Throws as InputFile does. [one thread at a time]
  void read(const Tile& tile, std::byte* to) const;

 private:
  struct Piece {
    std::uint64_t offset;
    std::span<std::byte> to;
  };
  template <class Take>
  void for_each_piece(const Tile& tile, std::byte* to, const Take& take) const;

  const InputFile& file_;
  const BandPlan& plan_;
};

}  // namespace xpose::app
