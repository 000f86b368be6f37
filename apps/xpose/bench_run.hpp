// A run of the standard table: what it was made with, and its results so far.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_cell.hpp"

namespace xpose::app {

// What two runs must share for the cells of one to stand in the other.
struct BenchSetup {
  double budget_seconds = 0;  // of one problem
  bool quick = false;
  bool warm = false;     // all cells, rather than those of the table
  unsigned threads = 0;  // of host strategies; 0: all
  std::vector<DeviceInfo> devices;
  std::vector<std::pair<std::string, std::string>> plugins;  // name, digest of the file
  bool operator==(const BenchSetup&) const = default;
};

struct BenchRun {
  BenchSetup setup;
  std::size_t cells = 0;  // that are to be measured
  std::vector<CellResult> results;
  bool interrupted = false;
};

std::string to_json_text(const BenchRun& run);  // "xpose.bench/1"
std::string to_csv_text(const BenchRun& run);   // a header, then a line for each result

// The measured cells of an earlier document whose setup and version of xpose are these, as far as
// `table` still has them; those that it skipped are not among them. Empty where the setup differs.
// Throws Error failed for what is not such a document.
std::vector<CellResult> earlier_results(std::string_view document, const BenchSetup& setup,
                                        const std::vector<std::pair<Device, Cell>>& table);

}  // namespace xpose::app
