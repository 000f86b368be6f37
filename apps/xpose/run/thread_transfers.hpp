// Pieces of a file that several threads move, each by calls that wait for the disk.
#pragma once

#include <cstddef>

#include "run/transfer.hpp"

namespace xpose::app {

// Moves all pieces, by so many threads at most, where there are threads to be had. False where
// there is no memory for a buffer: pieces are left then. Throws the first error of Pieces, which
// ends all threads.
bool move_by_threads(const DirectFile& file, Pieces& pieces, std::size_t threads,
                     std::size_t buffer_bytes);

}  // namespace xpose::app
