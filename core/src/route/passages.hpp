// The messages of one rank in a route, chunk by chunk through one buffer each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "exchange/chunks.hpp"

namespace xpose {

struct Passage {
  int rank = 0;                  // the other one
  std::optional<Chunks> chunks;  // none: an empty message, a greeting between ranks without others
  std::shared_ptr<std::byte[]> buffer;
  std::int64_t next = 0;    // chunk: in the buffer, or that is to come into it
  std::int64_t packed = 0;  // chunks: of a message that is sent
  bool has_come = false;    // the next chunk, of one that is received
  std::int64_t tiled = -1;  // the chunk of the tiles
  std::vector<Tile> tiles = {};

  bool is_greeting() const { return !chunks; }
  bool is_over() const { return next >= (chunks ? chunks->count() : 1); }
  std::uint64_t chunk_elements() const {
    return chunks ? static_cast<std::uint64_t>(chunks->box(next).elements()) : 0;
  }
};

// A route keeps them from one run to the next: the pages of new buffers would cost a run more than
// the elements, and the tiles more than a short message.
struct Passages {
  using ByRank = std::map<int, Passage>;  // one for each other rank

  bool are_made = false;
  ByRank outgoing, incoming;
  std::vector<Tile> kept;  // of what stays on the rank, where it moves in one part
  std::array<std::shared_ptr<std::byte[]>, 2> swapped = {};  // for what stays in place
};

}  // namespace xpose
