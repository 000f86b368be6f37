#include "run/transfers_at_once.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "run/ring_transfers.hpp"
#include "run/thread_transfers.hpp"

namespace xpose::app {
namespace {

// One piece has nothing to wait for but itself.
bool is_moved_by_ring(const DirectFile& file, Pieces& pieces, const AtOnce& how) {
  const std::size_t depth = std::min(how.transfers, pieces.size());
  if (depth < 2) return false;
  const auto ring = how.make_ring(depth);
  return ring && move_by_ring(*ring, file, pieces, depth, how.buffer_bytes);
}

}  // namespace

bool move_at_once(const DirectFile& file, Pieces& pieces, const AtOnce& how) {
  return is_moved_by_ring(file, pieces, how) ||
         move_by_threads(file, pieces, how.threads, how.buffer_bytes);
}

std::string at_once_text(MakeRing make) {
  if (make(1)) return "by io_uring";
  return "in several threads (io_uring: " + std::generic_category().message(errno) + ")";
}

}  // namespace xpose::app
