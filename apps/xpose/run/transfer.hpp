// Pieces of a file that are moved past the page cache, in transfers of whole sectors.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace xpose::app {

// Bytes of memory and their place in a file, moved by one call of the system.
struct Transfer {
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

// A file that is open for transfers of one direction.
struct DirectFile {
  enum class Direction { read, write };
  Direction direction = Direction::read;
  int fd = -1;
  std::function<ssize_t(const Transfer&)> call;  // returns the bytes that it moved, or -errno
};

// Each piece takes one transfer after another. [different pieces: any threads]
class Pieces {
 public:
  virtual ~Pieces() = default;
  virtual std::size_t size() const = 0;

  // The next transfer of a piece, by way of the buffer; nothing once the piece is done.
  virtual std::optional<Transfer> next(std::size_t piece, std::span<std::byte> buffer) = 0;

  // result: the bytes that the transfer has moved, or -errno. Throws where that ends all.
  virtual void moved(std::size_t piece, const Transfer& transfer, ssize_t result) = 0;
};

}  // namespace xpose::app
