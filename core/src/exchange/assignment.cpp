#include "exchange/assignment.hpp"

#include <limits>

namespace xpose {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Assignment {
 public:
  using Gain = std::function<std::int64_t(std::size_t, std::size_t)>;

  Assignment(std::size_t count, const Gain& gain)
      : count_(count),
        cost_(count * count),
        row_price_(count),
        column_price_(count),
        row_of_(count, kNone) {
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t column = 0; column < count; ++column)
        cost_[row * count + column] = -gain(row, column);
  }

  // Assigns one more row, and moves others to other columns where that is cheaper.
  void add(std::size_t row);

  std::vector<std::size_t> columns() const {
    std::vector<std::size_t> columns(count_);
    for (std::size_t column = 0; column < count_; ++column) columns[row_of_[column]] = column;
    return columns;
  }

 private:
  std::int64_t reduced(std::size_t row, std::size_t column) const {
    return cost_[row * count_ + column] - row_price_[row] - column_price_[column];
  }
  void change_prices(std::size_t row, std::size_t last, const std::vector<std::int64_t>& distance,
                     const std::vector<bool>& is_settled);

  std::size_t count_;
  std::vector<std::int64_t> cost_, row_price_, column_price_;
  std::vector<std::size_t> row_of_;  // by column
};

// Dijkstra's method over the columns, from `row` to the nearest column without a row.
void Assignment::add(std::size_t row) {
  std::vector<std::int64_t> distance(count_);
  std::vector<std::size_t> before(count_, kNone);  // the settled column on the path; none: the row
  std::vector<bool> is_settled(count_, false);
  for (std::size_t column = 0; column < count_; ++column) distance[column] = reduced(row, column);
  std::size_t nearest = kNone;
  while (true) {
    nearest = kNone;
    for (std::size_t column = 0; column < count_; ++column)
      if (!is_settled[column] && (nearest == kNone || distance[column] < distance[nearest]))
        nearest = column;
    if (row_of_[nearest] == kNone) break;
    is_settled[nearest] = true;
    for (std::size_t column = 0; column < count_; ++column) {
      const std::int64_t over = distance[nearest] + reduced(row_of_[nearest], column);
      if (is_settled[column] || over >= distance[column]) continue;
      distance[column] = over;
      before[column] = nearest;
    }
  }
  change_prices(row, nearest, distance, is_settled);
  for (; before[nearest] != kNone; nearest = before[nearest])
    row_of_[nearest] = row_of_[before[nearest]];
  row_of_[nearest] = row;
}

// So that no reduced cost is negative and those of assigned pairs stay 0.
void Assignment::change_prices(std::size_t row, std::size_t last,
                               const std::vector<std::int64_t>& distance,
                               const std::vector<bool>& is_settled) {
  row_price_[row] += distance[last];
  for (std::size_t column = 0; column < count_; ++column) {
    if (!is_settled[column]) continue;
    row_price_[row_of_[column]] += distance[last] - distance[column];
    column_price_[column] -= distance[last] - distance[column];
  }
}

}  // namespace

std::vector<std::size_t> best_assignment(
    std::size_t count, const std::function<std::int64_t(std::size_t, std::size_t)>& gain) {
  Assignment assignment(count, gain);
  for (std::size_t row = 0; row < count; ++row) assignment.add(row);
  return assignment.columns();
}

}  // namespace xpose
