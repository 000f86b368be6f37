// The elements that a rank keeps in a route in place: a square of shared indices, which is
// transposed where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exchange/exchange.hpp"

namespace xpose {

class KeptSquare {
 public:
  struct Limits {
    std::int64_t whole_bytes;  // of the square, at most, that one problem transposes
    std::int64_t tile_bytes;   // of a tile of others
  };
  // The exchange is laid out and outlives this.
  KeptSquare(const Exchange& exchange, const Message& kept, const Limits& limits);

  // Of each of two buffers, between which tiles change places; 0 where none is needed.
  std::uint64_t buffer_bytes() const;

  // Calls `move` to move tiles from one address to another, in their order, and `pause` now and
  // then.
  using MoveTiles =
      std::function<void(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out)>;
  void transpose(std::byte* array, const std::array<std::byte*, 2>& buffers, const MoveTiles& move,
                 const std::function<void()>& pause) const;

 private:
  void swap(const Box& tile, const Box& twin, std::byte* array,
            const std::array<std::byte*, 2>& buffers, const MoveTiles& move) const;

  const Exchange& exchange_;
  Message kept_;
  std::int64_t side_;  // indices of a tile, at most
};

}  // namespace xpose
