// Text for people: aligned columns and numbers with units.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {

// Rows of cells under a header, columns as wide as their widest cell.
class Table {
 public:
  enum Align { left, right };
  struct Column {
    std::string title;
    Align align = left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells, bool emphasised = false);
  // Emphasised rows are bold where `bold` allows it.
  void print(std::ostream& out, bool bold) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool emphasised;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Whether standard output may carry escapes.
bool stdout_takes_bold();

std::string fixed(double value, int decimals);
std::string time_text(double seconds);        // "37.4 us", "1.25 ms"
std::string bytes_text(std::uint64_t bytes);  // "60.0 MiB"

// Which variant won, by how much, at what share of the roof.
std::string sentence(const TuneReport& report);

// The outcome of a tune: the best variant of each strategy, or all of them, then that sentence.
void print_report(std::ostream& out, const TuneReport& report, bool all_variants, bool bold);

}  // namespace xpose::app
