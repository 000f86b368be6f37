// Data for the reports that needs no device and no clock: what a tune on a GPU and the simulator
// would have said of a 32x32 tile that is written by rows and read by columns.
#pragma once

#include "report/report.hpp"

namespace xpose::app::fixture {

// A tile through shared memory, each row of the tile of `pitch` words: 32 has 32-way conflicts, 33
// none.
AccessAccount tile_account(std::uint64_t pitch);

// Reads rows and writes columns of the matrix: one sector of the store for each lane.
AccessAccount naive_account();

// Of naive_row, smem, smem_pad and two copies, with a discarded round, a variant that was dropped,
// one that was wrong and one that declines; the names hold what HTML and JSON could trip over.
TuneReport tune(std::int64_t extent);

Explanation explanation(bool measured);

}  // namespace xpose::app::fixture
