// The tiles by which a file becomes its permutation in another: which bytes are read, what is done
// to them in memory, and where they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "run/band_pipeline.hpp"
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

// The work of a strip, whose output lies scattered in its tile's.
struct PlacedWork {
  TileWork work;
  std::uint64_t out_place = 0;  // bytes from the tile's first element to the strip's
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

  virtual std::uint64_t bytes(std::int64_t tile) const = 0;
  virtual std::uint64_t most_bytes() const = 0;  // of any tile
  virtual std::int64_t strips(std::int64_t tile) const = 0;

  // In memory. They throw Error where the library serves no such permutation.
  virtual PlacedWork work(const Strip& strip) const = 0;
  virtual TileWork most() const = 0;   // the largest strip's
  virtual TileWork whole() const = 0;  // the file's, if it were one tile

  // They throw as InputFile and OutputFile do. [each by one thread at a time]
  virtual void read(const InputFile& file, const Strip& strip, std::byte* to) const = 0;
  virtual void write(OutputFile& file, std::int64_t tile, const std::byte* from) const = 0;
};

// By tiles of a matrix where the permutation is one in disguise, else by blocks of all axes.
// strip_bytes: of a tile's input that is read at once.
std::unique_ptr<FileMove> file_move(const FilePermutation& file, const TileLimits& limits,
                                    std::uint64_t strip_bytes);

}  // namespace xpose::app
