#include "output/table.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <numeric>
#include <ostream>
#include <sstream>

#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kGap = 2;  // between columns

// The most that each may have where all together have `room`. A small need leaves room to others.
std::vector<std::size_t> shared_out(const std::vector<std::size_t>& needs, std::size_t room) {
  std::vector<std::size_t> order(needs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return needs[i]; });
  std::vector<std::size_t> shares(needs.size());
  std::size_t left = order.size();
  for (const std::size_t i : order) {
    shares[i] = std::min(needs[i], room / left);
    room -= std::min(room, shares[i]);
    --left;
  }
  return shares;
}

std::string padded(const std::string& cell, std::size_t width, Table::Align align) {
  const std::string space(width - std::min(width, width_of(cell)), ' ');
  return align == Table::right ? space + cell : cell + space;
}

}  // namespace

void Table::add(std::vector<std::string> cells, bool emphasised) {
  for (std::string& cell : cells) cell = one_line(cell);  // it may hold the name of a file
  rows_.push_back({std::move(cells), emphasised});
}

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t width = width_of(columns_[column].title);
  for (const Row& row : rows_) width = std::max(width, width_of(row.cells.at(column)));
  return width;
}

std::size_t Table::comfortable(const Place& place) const {
  const std::size_t enough = columns_[place.column].comfortable;
  return enough == 0 ? place.width : std::min(place.width, enough);
}

std::vector<Table::Place> Table::layout(const Screen& screen) const {
  std::vector<Place> places;
  for (std::size_t c = 0; c < columns_.size(); ++c) places.push_back({c, natural_width(c)});
  if (screen.width == kNoLimit) return places;
  const auto total = [&] {
    std::size_t sum = kGap * (places.size() - 1);
    for (const Place& place : places) sum += comfortable(place);
    return sum;
  };
  while (total() > screen.width) {
    const auto next = std::ranges::max_element(
        places, {}, [&](const Place& place) { return columns_[place.column].leaves; });
    if (next == places.end() || columns_[next->column].leaves == 0) break;
    places.erase(next);
  }
  give_way(places, screen.width);
  return places;
}

// Narrows the columns that can give way to their comfortable width or less, and shares the rest of
// the width among those that need more.
void Table::give_way(std::vector<Place>& places, std::size_t width) const {
  std::size_t room = width - std::min(width, kGap * (places.size() - 1));
  std::vector<Place*> giving;
  for (Place& place : places)
    if (columns_[place.column].narrow == whole)
      room -= std::min(room, place.width);
    else
      giving.push_back(&place);
  std::vector<std::size_t> needs;
  needs.reserve(giving.size());
  for (const Place* place : giving) needs.push_back(comfortable(*place));
  std::vector<std::size_t> shares = shared_out(needs, room);
  for (std::size_t i = 0; i < giving.size(); ++i) {
    room -= std::min(room, shares[i]);
    needs[i] = giving[i]->width - shares[i];
  }
  const std::vector<std::size_t> more = shared_out(needs, room);
  for (std::size_t i = 0; i < giving.size(); ++i) giving[i]->width = shares[i] + more[i];
}

// The lines of each cell of a column, its title first.
std::vector<std::vector<std::string>> Table::cells_at(const Place& place) const {
  std::vector<std::string> texts;
  for (const Row& row : rows_) texts.push_back(row.cells[place.column]);
  if (columns_[place.column].narrow == variants) texts = shortened(texts, place.width);
  texts.insert(texts.begin(), columns_[place.column].title);
  std::vector<std::vector<std::string>> cells;
  cells.reserve(texts.size());
  for (const std::string& text : texts)
    cells.push_back(wrapped(text, place.width, LongWords::split));
  return cells;
}

void Table::print(std::ostream& out, const Screen& screen) const {
  const std::vector<Place> places = layout(screen);
  std::vector<std::vector<std::vector<std::string>>> columns;  // by place, row, line
  columns.reserve(places.size());
  for (const Place& place : places) columns.push_back(cells_at(place));
  for (std::size_t row = 0; row <= rows_.size(); ++row) {
    std::size_t height = 0;
    for (const auto& column : columns) height = std::max(height, column[row].size());
    const bool bold = screen.bold && row != 0 && rows_[row - 1].emphasised;
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& cell = columns[c][row];
        text += (c == 0 ? "" : std::string(kGap, ' ')) +
                padded(line < cell.size() ? cell[line] : "", places[c].width,
                       columns_[places[c].column].align);
      }
      text.resize(text.find_last_not_of(' ') + 1);
      out << (bold ? "\033[1m" + text + "\033[0m" : text) << '\n';
    }
  }
}

std::string Table::left_out(const Screen& screen) const {
  const std::vector<Place> places = layout(screen);
  std::string titles;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!std::ranges::count(places, c, &Place::column))
      titles += (titles.empty() ? "" : ", ") + columns_[c].title;
  return titles;
}

std::string fixed(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 2) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, 4) + " ms";
  return fixed(seconds, 3) + " s";
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fixed(value, unit == 0 ? 0 : 1) + ' ' + kUnits.at(unit);
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

bool is_above_the_roof(double share) { return share >= 1.0005; }

const char* const kAboveTheRoof =
    "Above 100 %: the roof is the fastest copy of the same run, not a limit of the memory. A "
    "transpose exceeds it if its order, stores or threads suit the memory better than those of the "
    "copies, or if the copies were disturbed.";

}  // namespace xpose::app
