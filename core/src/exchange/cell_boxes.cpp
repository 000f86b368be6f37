#include "exchange/cell_boxes.hpp"

#include <algorithm>
#include <tuple>

namespace xpose {
namespace {

// Cells of one row side by side; in the order of their rows, then of their columns.
std::vector<CellBox> strips(const std::vector<Exchange::Cell>& cells) {
  std::vector<CellBox> all;
  for (const Exchange::Cell& cell : cells)
    if (!all.empty() && all.back().begin.rows == cell.rows && all.back().end.cols == cell.cols)
      ++all.back().end.cols;
    else
      all.push_back({cell, {cell.rows + 1, cell.cols + 1}});
  return all;
}

auto columns_then_rows(const CellBox& box) {
  return std::tuple(box.begin.cols, box.end.cols, box.begin.rows);
}

}  // namespace

std::vector<CellBox> boxes_of(std::vector<Exchange::Cell> cells) {
  std::ranges::sort(cells, {}, [](const auto& cell) { return std::pair(cell.rows, cell.cols); });
  std::vector<CellBox> all;
  std::vector<CellBox> rows = strips(cells);
  std::ranges::sort(rows, {}, columns_then_rows);
  for (const CellBox& strip : rows)
    if (!all.empty() && all.back().begin.cols == strip.begin.cols &&
        all.back().end.cols == strip.end.cols && all.back().end.rows == strip.begin.rows)
      ++all.back().end.rows;
    else
      all.push_back(strip);
  return all;
}

}  // namespace xpose
