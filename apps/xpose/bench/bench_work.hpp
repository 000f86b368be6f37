// The cells that a run of `xpose bench` is to measure, and the order of its results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/bench_cell.hpp"
#include "bench/random_table.hpp"

namespace xpose::app {

using Work = std::vector<std::pair<Device, Cell>>;

// Every cell of the devices, device by device: those of the tables, then those that were drawn.
Work every_cell(const std::vector<DeviceInfo>& devices, bool warm, const RandomDraw& draw);

// The cells that were asked for, in that order: those of the tables, or where any were drawn these
// alone. Throws UsageError where there is none, and lists all names on stderr.
Work work_of(const std::vector<DeviceInfo>& devices, const std::vector<std::string>& only,
             bool quick, bool warm, const RandomDraw& draw);

bool has_cell(const Work& work, const CellResult& result);

// As `order` has their cells, whatever order they were measured in; others stay behind these.
void sort(std::vector<CellResult>& results, const Work& order);

}  // namespace xpose::app
