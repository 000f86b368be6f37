// The tiles by which a file becomes its permutation in another: which bytes are read, what is done
// to them in memory, and where they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "run/file_permutation.hpp"
#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/tile_transposer.hpp"

namespace xpose::app {

// Bytes that lie together in a file, as a tile has them.
struct RunLengths {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

// Tiles are counted from 0 in the order of writing.
class FileMove {
 public:
  FileMove() = default;
  FileMove(const FileMove&) = delete;  // held by a pointer to its base
  FileMove& operator=(const FileMove&) = delete;
  virtual ~FileMove() = default;

  virtual std::int64_t tiles() const = 0;
  virtual std::string tile_text() const = 0;  // the shape of the largest, "64x700"
  // Whether a tile's output is one range of the file, behind that of the tile before.
  virtual bool writes_in_order() const = 0;

  virtual RunLengths runs() const = 0;  // of the largest tile

  // In memory. They throw Error where the library serves no such permutation.
  virtual TileWork work(std::int64_t tile) const = 0;
  virtual TileWork most() const = 0;   // the largest tile's
  virtual TileWork whole() const = 0;  // the file's, if it were one tile

  // They throw as InputFile and OutputFile do. [each by one thread at a time]
  virtual void read(const InputFile& file, std::int64_t tile, std::byte* to) const = 0;
  virtual void write(OutputFile& file, std::int64_t tile, const std::byte* from) const = 0;
};

// By tiles of a matrix where the permutation is one in disguise, else by blocks of all axes.
std::unique_ptr<FileMove> file_move(const FilePermutation& file, const TileLimits& limits);

}  // namespace xpose::app
