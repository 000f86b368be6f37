// Pieces of a file that one thread has moved by a ring, many at once.
#pragma once

#include <cstddef>

#include "run/ring.hpp"
#include "run/transfer.hpp"

namespace xpose::app {

// Moves all pieces by so many buffers, no more than the ring is deep. False where the ring refuses,
// or there is no memory: pieces are left then, and the ring is not to be used again. Throws as
// Pieces does. However it ends, the kernel has no transfer under way any more.
bool move_by_ring(Ring& ring, const DirectFile& file, Pieces& pieces, std::size_t buffers,
                  std::size_t buffer_bytes);

}  // namespace xpose::app
