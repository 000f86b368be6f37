// Pieces of a file that are moved many at once: by io_uring, or by threads where it is refused.
#pragma once

#include <cstddef>
#include <string>

#include "run/ring.hpp"
#include "run/transfer.hpp"

namespace xpose::app {

struct AtOnce {
  std::size_t transfers = 0;  // by a ring
  std::size_t threads = 0;    // without one
  std::size_t buffer_bytes = 0;
  MakeRing make_ring = app::make_ring;
};

// Moves all pieces. False where there is no memory for a buffer: pieces are left then. Throws as
// Pieces does.
bool move_at_once(const DirectFile& file, Pieces& pieces, const AtOnce& how);

// "by io_uring", or "in several threads" and the reason.
std::string at_once_text(MakeRing make = make_ring);

}  // namespace xpose::app
