#include "bench/random_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "axes/permuted_shape.hpp"

namespace xpose::app {
namespace {

using Shape = std::vector<std::int64_t>;

// Sizes that strategies take whole, and sizes that the library folds; the latter are rarer.
constexpr std::array<std::uint32_t, 5> kSizes = {1, 2, 4, 8, 16};
constexpr std::array<std::uint32_t, 12> kOddSizes = {3, 5, 6, 7, 9, 10, 12, 14, 15, 24, 32, 48};

// Draws that do not depend on the standard library: its distributions do.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}

  // Evenly in [0, 1).
  double part() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return part() < probability; }
  // Each of 0 .. count-1 alike.
  std::size_t index(std::size_t count) {
    return static_cast<std::size_t>(part() * static_cast<double>(count));
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(index(static_cast<std::size_t>(most - least + 1)));
  }
  // Each order of magnitude alike. `most` is not less than `least`.
  std::int64_t magnitude(double least, double most) {
    return static_cast<std::int64_t>(least * std::pow(most / least, part()));
  }
  template <class Items>
  auto one_of(const Items& items) {
    return items[index(items.size())];
  }
  template <class Items>
  void shuffle(Items& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[index(i)]);
  }

 private:
  std::mt19937_64 bits_;
};

std::string size_text(std::uint32_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// The extents of so many axes that hold at most so many elements, in any order. Extents of all axes
// but one are at most `most`.
Shape extents(Dice& dice, std::size_t rank, std::int64_t elements, double most) {
  Shape shape;
  std::int64_t left = elements;
  for (std::size_t axis = 1; axis < rank; ++axis) {
    // Each axis that follows needs room for 2.
    const double room = std::ldexp(static_cast<double>(left), -static_cast<int>(rank - axis));
    shape.push_back(dice.magnitude(2, std::clamp(most, 2.0, std::max(room, 2.0))));
    left /= shape.back();
  }
  shape.push_back(std::max<std::int64_t>(left, 2));
  dice.shuffle(shape);
  return shape;
}

class Draws {
 public:
  Draws(DeviceKind kind, const RandomDraw& draw)
      : device_{kind, 0}, draw_(draw), dice_(draw.seed) {}

  Cell next();

 private:
  std::string matrix_cell(Cell& cell, std::uint32_t bytes, std::int64_t elements);
  std::string permutation_cell(Cell& cell, std::uint32_t bytes, std::int64_t elements);
  std::uint32_t alignment(std::uint32_t bytes);

  Device device_;
  RandomDraw draw_;
  Dice dice_;
  std::size_t number_ = 0;
};

// "18 of 286x104, rows of 104 and 300": leading dimensions follow where rows are longer.
std::string Draws::matrix_cell(Cell& cell, std::uint32_t bytes, std::int64_t elements) {
  const auto room = static_cast<double>(elements);
  const std::int64_t count = dice_.chance(0.25) ? dice_.magnitude(2, room / 16) : 1;
  const auto each = room / static_cast<double>(count);
  const std::int64_t rows = dice_.magnitude(2, each / 2);
  const std::int64_t cols = std::max<std::int64_t>(2, elements / count / rows);
  Problem& problem = cell.problem = matrix(rows, cols, bytes, device_);
  const bool longer = dice_.chance(0.25);
  problem.in_ld = cols + (longer ? dice_.magnitude(1, 256) : 0);
  problem.out_ld = rows + (longer ? dice_.magnitude(1, 256) : 0);
  if (count > 1) problem.batch = {{count, rows * problem.in_ld, cols * problem.out_ld}};
  const std::array<std::int64_t, 2> shape = {rows, cols};
  return (count > 1 ? std::to_string(count) + " of " : "") + shape_text(shape) +
         (longer ? ", rows of " + std::to_string(problem.in_ld) + " and " +
                       std::to_string(problem.out_ld)
                 : "");
}

// "axes 2 0 1 of 30x400x5": as in NumPy's transpose.
std::string Draws::permutation_cell(Cell& cell, std::uint32_t bytes, std::int64_t elements) {
  const double kind = dice_.part();
  const bool qubits = kind < 0.1;
  const bool short_axes = kind < 0.3;
  const std::size_t rank = qubits ? static_cast<std::size_t>(std::log2(elements))
                                  : static_cast<std::size_t>(dice_.whole(2, 8));
  const Shape shape =
      qubits ? Shape(rank, 2)
             : extents(dice_, rank, elements, short_axes ? 16 : static_cast<double>(elements));
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  const bool keeps_runs = rank > 2 && dice_.chance(0.25);
  std::vector<int> moved(axes.begin(), axes.end() - (keeps_runs ? 1 : 0));
  while (std::ranges::is_sorted(moved)) dice_.shuffle(moved);
  std::ranges::copy(moved, axes.begin());
  std::string name = "axes";
  for (const int axis : axes) name += ' ' + std::to_string(axis);
  name += " of " + shape_text(shape);
  try {
    cell.problem = permutation(shape, axes, bytes, device_);
  } catch (const Error& error) {
    cell.refused = error.what();
  }
  return name;
}

// Allocators give 256 and 16; a part of an array lies where its elements may.
std::uint32_t Draws::alignment(std::uint32_t bytes) {
  const double kind = dice_.part();
  if (kind < 0.75) return kind < 0.5 ? 256 : 16;
  return std::min(bytes & (~bytes + 1), 16U);
}

std::string group_of(const char* kind, std::uint64_t array_bytes) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  std::string size = " from 128 MiB on";
  if (array_bytes < 128 * kMebibyte) size = " below 128 MiB";
  if (array_bytes < 16 * kMebibyte) size = " below 16 MiB";
  if (array_bytes < kMebibyte) size = " below 1 MiB";
  return std::string("random ") + kind + size;
}

Cell Draws::next() {
  Cell cell;
  const std::uint32_t bytes = dice_.chance(0.75) ? dice_.one_of(kSizes) : dice_.one_of(kOddSizes);
  const std::int64_t array_bytes = dice_.magnitude(static_cast<double>(kLeastRandomBytes),
                                                   static_cast<double>(draw_.most_bytes));
  const bool is_matrix = dice_.chance(0.5);
  const std::int64_t elements = array_bytes / bytes;
  const std::string text =
      is_matrix ? matrix_cell(cell, bytes, elements) : permutation_cell(cell, bytes, elements);
  const std::uint32_t aligned = alignment(bytes);
  cell.problem.in_alignment = cell.problem.out_alignment = aligned;
  cell.row = cell.group =
      group_of(is_matrix ? "matrices" : "permutations", static_cast<std::uint64_t>(array_bytes));
  cell.name = "random " + std::to_string(draw_.seed) + '.' + std::to_string(++number_) + ", " +
              text + ", aligned to " + std::to_string(aligned) + ", " + size_text(bytes);
  return cell;
}

}  // namespace

std::vector<Cell> random_table(DeviceKind kind, const RandomDraw& draw) {
  Draws draws(kind, draw);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < draw.count; ++i) cells.push_back(draws.next());
  return cells;
}

}  // namespace xpose::app
