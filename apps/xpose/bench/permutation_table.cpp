#include "bench/permutation_table.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

#include "axes/permuted_shape.hpp"

namespace xpose::app {
namespace {

using Shape = std::vector<std::int64_t>;
using Axes = std::vector<int>;

struct Marks {
  int reach = 0;
  int aim = 0;
};

// The benchmark of TTC, https://github.com/HPAC/TTC, column-major as published: rank, permutation,
// extents. Output axis i is input axis perm[i]; axis 0 varies fastest.
constexpr const char* kTtc = R"(
2 1 0 7264 7264
2 1 0 43408 1216
2 1 0 1216 43408
3 0 2 1 368 384 384
3 0 2 1 2144 64 384
3 0 2 1 368 64 2307
3 1 0 2 384 384 355
3 1 0 2 2320 384 59
3 1 0 2 384 2320 59
3 2 1 0 384 355 384
3 2 1 0 2320 59 384
3 2 1 0 384 59 2320
4 0 3 2 1 80 96 75 96
4 0 3 2 1 464 16 75 96
4 0 3 2 1 80 16 75 582
4 2 1 3 0 96 75 96 75
4 2 1 3 0 608 12 96 75
4 2 1 3 0 96 12 608 75
4 2 0 3 1 96 75 96 75
4 2 0 3 1 608 12 96 75
4 2 0 3 1 96 12 608 75
4 1 0 3 2 96 96 75 75
4 1 0 3 2 608 96 12 75
4 1 0 3 2 96 608 12 75
4 3 2 1 0 96 75 75 96
4 3 2 1 0 608 12 75 96
4 3 2 1 0 96 12 75 608
5 0 4 2 1 3 32 48 28 28 48
5 0 4 2 1 3 176 8 28 28 48
5 0 4 2 1 3 32 8 28 28 298
5 3 2 1 4 0 48 28 28 48 28
5 3 2 1 4 0 352 4 28 48 28
5 3 2 1 4 0 48 4 28 352 28
5 2 0 4 1 3 48 28 48 28 28
5 2 0 4 1 3 352 4 48 28 28
5 2 0 4 1 3 48 4 352 28 28
5 1 3 0 4 2 48 48 28 28 28
5 1 3 0 4 2 352 48 4 28 28
5 1 3 0 4 2 48 352 4 28 28
5 4 3 2 1 0 48 28 28 28 48
5 4 3 2 1 0 352 4 28 28 48
5 4 3 2 1 0 48 4 28 28 352
6 0 3 2 5 4 1 16 32 15 32 15 15
6 0 3 2 5 4 1 48 10 15 32 15 15
6 0 3 2 5 4 1 16 10 15 103 15 15
6 3 2 0 5 1 4 32 15 15 32 15 15
6 3 2 0 5 1 4 112 5 15 32 15 15
6 3 2 0 5 1 4 32 5 15 112 15 15
6 2 0 4 1 5 3 32 15 32 15 15 15
6 2 0 4 1 5 3 112 5 32 15 15 15
6 2 0 4 1 5 3 32 5 112 15 15 15
6 3 2 5 1 0 4 32 15 15 32 15 15
6 3 2 5 1 0 4 112 5 15 32 15 15
6 3 2 5 1 0 4 32 5 15 112 15 15
6 5 4 3 2 1 0 32 15 15 15 15 32
6 5 4 3 2 1 0 112 5 15 15 15 32
6 5 4 3 2 1 0 32 5 15 15 15 112
)";

// An order of n axes that is the same everywhere: std::shuffle is not.
Axes shuffled(int n, unsigned seed) {
  Axes axes(static_cast<std::size_t>(n));
  std::iota(axes.begin(), axes.end(), 0);
  std::mt19937 random(seed);
  for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random() % i]);
  return axes;
}

class Rows {
 public:
  explicit Rows(DeviceKind kind) : device_{kind, 0} {}

  // name: of the cell, without its size.
  Cell& add(const std::string& row, const std::string& name, const Shape& shape, const Axes& axes,
            std::uint32_t bytes, Marks marks = {}) {
    Cell& cell = add(row, name, matrix(0, 0, bytes, device_), marks);
    try {
      cell.problem = permutation(shape, axes, bytes, device_);
      cell.problem.in_alignment = cell.problem.out_alignment = 256;
    } catch (const Error& error) {
      cell.refused = error.what();
    }
    return cell;
  }

  Cell& add(const std::string& row, const std::string& name, Problem problem, Marks marks) {
    problem.in_alignment = problem.out_alignment = 256;
    const std::uint32_t bytes = problem.element_bytes;
    Cell& cell = cells_.emplace_back();
    cell.row = row;
    cell.name = name + ", " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    cell.problem = std::move(problem);
    if (device_.kind == DeviceKind::cuda) {  // the host has marks for the mean alone
      cell.reach = marks.reach;
      cell.aim = marks.aim;
    }
    return cell;
  }

  void add_ttc(std::uint32_t bytes);
  void add_qubits(int qubits, std::uint32_t bytes);

  Device device() const { return device_; }
  std::vector<Cell> take() { return std::move(cells_); }

 private:
  Device device_;
  std::vector<Cell> cells_;
};

// Of 4 bytes as published. Other sizes are measured where they are asked for.
void Rows::add_ttc(std::uint32_t bytes) {
  const bool as_published = bytes == 4;
  std::istringstream lines(kTtc);
  std::size_t rank = 0;
  while (lines >> rank) {
    Axes perm(rank);
    Shape extents(rank);
    for (int& axis : perm) lines >> axis;
    for (std::int64_t& extent : extents) lines >> extent;
    std::string name = as_published ? "permutations, TTC" : "TTC";
    for (const int axis : perm) name += ' ' + std::to_string(axis);
    name += " of " + shape_text(extents);
    // In C order the axes are counted from the other end.
    std::ranges::reverse(extents);
    std::ranges::reverse(perm);
    for (int& axis : perm) axis = static_cast<int>(rank) - 1 - axis;
    const std::string row = as_published ? "permutations, rank " : "TTC, rank ";
    Cell& cell = add(row + std::to_string(rank), name, extents, perm, bytes,
                     as_published ? Marks{80, 90} : Marks{});
    cell.group = "TTC" + cell.name.substr(cell.name.rfind(','));
    cell.on_request = !as_published;
  }
}

void Rows::add_qubits(int qubits, std::uint32_t bytes) {
  const Shape shape(static_cast<std::size_t>(qubits), 2);
  for (const unsigned order : {1U, 2U, 3U})
    add("permutations, qubits",
        "permutations, " + std::to_string(qubits) + " qubits, order " + std::to_string(order),
        shape, shuffled(qubits, order), bytes, {70, 85});
}

// Permutations of common use. The host has the largest of them in a fraction of the size.
void add_uses(Rows& rows) {
  constexpr Marks kUse = {85, 95};
  const bool is_host = rows.device().kind == DeviceKind::host;
  const auto add = [&](const std::string& row, const std::string& name, const Shape& shape,
                       const Axes& axes, std::uint32_t bytes) {
    rows.add("permutations, " + row, "permutations, " + name + " of " + shape_text(shape), shape,
             axes, bytes, kUse);
  };
  const std::int64_t part = is_host ? 4 : 1;
  add("heads", "attention heads", {16 / part, 4096, 32, 128}, {0, 2, 1, 3}, 2);
  add("heads", "attention heads back", {16 / part, 32, 4096, 128}, {0, 2, 1, 3}, 2);
  for (const std::uint32_t bytes : {1U, 2U})  // B, C, (h p), (w q) to B, h, w, p, q, C
    add("patches", "patches of images", {64, 3, 24, 16, 24, 16}, {0, 2, 4, 3, 5, 1}, bytes);
  add("channels", "NCDHW to NDHWC", {8 / part, 64, 32, 112, 112}, {0, 2, 3, 4, 1}, 2);
  add("pixel shuffle", "pixel shuffle", {16 / part, 4, 4, 64, 128, 128}, {0, 3, 4, 1, 5, 2}, 2);
  const std::int64_t side = is_host ? 256 : 640;
  for (const std::uint32_t bytes : {8U, 16U}) {
    add("rotations", "xyz to zxy", {side, side, side}, {2, 0, 1}, bytes);
    add("rotations", "xyz to yzx", {side, side, side}, {1, 2, 0}, bytes);
  }
  for (const std::uint32_t bytes : {8U, 16U}) rows.add_qubits(is_host ? 24 : 28, bytes);
  add("pixels", "RGB to planes", {4320, 7680, 3}, {2, 0, 1}, 1);
  add("points", "points", {10'000'000, 3}, {1, 0}, 8);
  add("reversal", "reversal", {64 / part, 64, 64, 64, 16}, {4, 3, 2, 1, 0}, 4);
  const std::int64_t flipped = is_host ? 8192 : 16384;
  Problem upside_down = matrix(flipped, flipped, 4, rows.device());
  upside_down.in_ld = -flipped;
  rows.add("permutations, a[::-1].T", "permutations, a[::-1].T of " + shape_text(Shape(2, flipped)),
           upside_down, kUse);
}

}  // namespace

std::vector<Cell> permutation_table(DeviceKind kind) {
  Rows rows(kind);
  rows.add_ttc(4);
  add_uses(rows);
  for (const std::uint32_t bytes : {8U, 2U, 1U}) rows.add_ttc(bytes);
  return rows.take();
}

}  // namespace xpose::app
