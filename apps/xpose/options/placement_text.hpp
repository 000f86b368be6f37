// Placements on a command line.
#pragma once

#include <string>

#include "xpose/placement.hpp"

namespace xpose::app {

// "rows:64": slabs of rows on ranks 0 to 63; "cols:64": of columns; "rank:5": the whole on one;
// "128x32:8x4": blocks of 128 rows and 32 columns over a grid of 8 x 4 ranks, as ScaLAPACK has
// them, with ":col" where ranks are counted down its columns. `option` is named in errors. Throws
// UsageError for another text, Error for a placement that the library refuses.
Placement parse_placement(const std::string& option, const std::string& text, std::int64_t rows,
                          std::int64_t cols, std::uint32_t element_bytes);

}  // namespace xpose::app
