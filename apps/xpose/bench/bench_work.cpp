#include "bench/bench_work.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "bench/permutation_table.hpp"
#include "options/options.hpp"

namespace xpose::app {
namespace {

std::vector<Cell> tables_of(DeviceKind kind) {
  std::vector<Cell> table = standard_table(kind);
  std::ranges::move(permutation_table(kind), std::back_inserter(table));
  return table;
}

void add(Work& work, std::vector<Cell> cells, const DeviceInfo& info, bool warm) {
  for (Cell& cell : cells) {
    cell.problem.device = info.device;
    cell.warm = cell.warm || warm;
    work.emplace_back(info.device, std::move(cell));
  }
}

Work::const_iterator find(const Work& work, const CellResult& result) {
  return std::ranges::find_if(work, [&](const auto& item) {
    return item.first == result.device && item.second.name == result.cell.name;
  });
}

}  // namespace

Work every_cell(const std::vector<DeviceInfo>& devices, bool warm, const RandomDraw& draw) {
  Work work;
  for (const DeviceInfo& info : devices) {
    add(work, tables_of(info.device.kind), info, warm);
    add(work, random_table(info.device.kind, draw), info, warm);
  }
  return work;
}

Work work_of(const std::vector<DeviceInfo>& devices, const std::vector<std::string>& only,
             bool quick, bool warm, const RandomDraw& draw) {
  Work all;
  for (const DeviceInfo& info : devices)
    add(all, draw.count != 0 ? random_table(info.device.kind, draw) : tables_of(info.device.kind),
        info, warm);
  Work work;
  std::set<std::pair<std::string, std::string>> rows;  // device, row
  for (const auto& [device, cell] : all) {
    const bool named = std::ranges::any_of(only, [&name = cell.name](const std::string& text) {
      return name.find(text) != std::string::npos;
    });
    const bool taken = named || (only.empty() && !cell.on_request);
    if (taken && (!quick || rows.emplace(to_string(device), cell.row).second))
      work.emplace_back(device, cell);
  }
  if (work.empty()) {  // a name a line: a message is one line
    for (const auto& [device, cell] : all)
      if (!cell.on_request) std::cerr << "  " << cell.name << '\n';
    throw UsageError("--only names no problem of the table, which is listed above");
  }
  return work;
}

bool has_cell(const Work& work, const CellResult& result) {
  return find(work, result) != work.end();
}

void sort(std::vector<CellResult>& results, const Work& order) {
  std::ranges::stable_sort(
      results, {}, [&](const CellResult& result) { return find(order, result) - order.begin(); });
}

}  // namespace xpose::app
