// A run of the standard table: its setup, and its results so far.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_cell.hpp"

namespace xpose::app {

// Two runs with equal setups may share cells.
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
  std::string command;    // as a shell takes it: "xpose bench --device cuda"
  std::int64_t when = 0;  // the last result, or the start; seconds since 1970
  std::size_t cells = 0;  // that are to be measured
  std::vector<CellResult> results;
  bool interrupted = false;
};

std::string to_json_text(const BenchRun& run);  // "xpose.bench/1"
std::string to_csv_text(const BenchRun& run);   // a header, then a line for each result

// Markdown: version, date and command, then a table a device. Names and reasons are escaped.
std::string to_markdown_text(const BenchRun& run);

// SVG without a script: a bar a problem, the winner's share of the roof, with a marker a peer.
// Colours follow the reader's colour scheme.
std::string to_svg_text(const BenchRun& run);

// The day of run.when in UTC: "1970-01-31".
std::string date_text(const BenchRun& run);

// The results of an earlier document, in its order, but those of a cell that is another problem in
// `table`. A cell that the table lacks is as the document describes it. Throws Error failed for a
// text that is not such a document, and where its setup or version of xpose is another.
std::vector<CellResult> earlier_results(std::string_view document, const BenchSetup& setup,
                                        const std::vector<std::pair<Device, Cell>>& table);

}  // namespace xpose::app
