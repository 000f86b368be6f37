// Text for people: aligned columns that fit the screen, and numbers with units.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "output/screen.hpp"

namespace xpose::app {

// Rows of cells under a header, columns as wide as their widest cell where the screen allows it.
class Table {
 public:
  enum Align { left, right };
  // How the cells of a column give way on a narrow screen: not at all, by breaking at words, or as
  // shortened() does it with variants.
  enum Narrow { whole, wrap, variants };
  struct Column {
    std::string title;
    Align align = left;
    Narrow narrow = whole;
    // Of a column that gives way: the width below which others leave. 0: its widest cell's.
    std::size_t comfortable = 0;
    int leaves = 0;  // where others give way in vain the highest leaves first; 0: never
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells, bool emphasised = false);
  // Emphasised rows are bold where the screen allows it.
  void print(std::ostream& out, const Screen& screen) const;
  // The titles of the columns that the screen is too narrow for: "plugin, axes".
  std::string left_out(const Screen& screen) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool emphasised;
  };
  struct Place {
    std::size_t column;
    std::size_t width;
  };
  std::size_t natural_width(std::size_t column) const;
  std::size_t comfortable(const Place& place) const;
  std::vector<Place> layout(const Screen& screen) const;
  void give_way(std::vector<Place>& places, std::size_t width) const;
  std::vector<std::vector<std::string>> cells_at(const Place& place) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Variants, "tile{row_bytes=256,col_bytes=128}", at most so wide. All of one strategy take the
// first of these forms in which they fit and differ as they did: whole; cut behind a value,
// "tile{row_bytes=256,...}"; values alone, in the order of the axes, "tile{256,128}"; cut anywhere.
// A text without a config stays as it is.
std::vector<std::string> shortened(const std::vector<std::string>& variants, std::size_t width);

std::string fixed(double value, int decimals);
std::string time_text(double seconds);        // "37.4 us", "1.25 ms"
std::string bytes_text(std::uint64_t bytes);  // "60.0 MiB"
std::string percent(double share);            // 0.125: "12.5 %"

// Whether a share of the roof is shown as more than 100.0 %, and its meaning, as a footnote.
bool is_above_the_roof(double share);
extern const char* const kAboveTheRoof;

}  // namespace xpose::app
