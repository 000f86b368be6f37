// Cells of a grid as few boxes of it. The ranks of one host follow each other, so that their cells
// are mostly one box or three, whatever their number.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/exchange.hpp"

namespace xpose {

// Every cell from `begin` to `end` of both axes, without those at `end`.
struct CellBox {
  Exchange::Cell begin, end;
};

// Boxes that hold each of the cells once, and no other.
std::vector<CellBox> boxes_of(std::vector<Exchange::Cell> cells);

}  // namespace xpose
