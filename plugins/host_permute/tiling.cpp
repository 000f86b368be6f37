#include "tiling.hpp"

#include <algorithm>
#include <numeric>

#include "../kit/host/ceil_div.hpp"

namespace host_permute {
namespace {

// About `wanted` of an axis, so that all tiles are nearly alike; a multiple of `unit` where there
// is room for one.
int64_t cut(int64_t extent, int64_t wanted, int64_t unit) {
  const int64_t count = std::max<int64_t>((extent + wanted / 2) / wanted, 1);
  const int64_t even = host::ceil_div(extent, count);
  const int64_t whole = host::ceil_div(even, unit) * unit;
  return std::min(whole <= 2 * even ? whole : even, extent);
}

// The axes while they are taken into a tile.
class Cutter {
 public:
  explicit Cutter(const std::vector<Axis>& axes) : axes_(axes), taken_(axes.size(), 1) {}

  int64_t taken(const Axis& axis) const { return taken_[&axis - axes_.data()]; }
  bool is_cut(const Axis& axis) const { return taken(axis) < axis.extent; }

  // Lengthens a run by one axis after the other, as long as they continue it, and cuts the last.
  // Returns its length.
  int64_t take_run(const std::vector<const Axis*>& order, int64_t Axis::*stride, int64_t wanted,
                   int64_t line) {
    int64_t run = 1;
    for (const Axis* axis : order) {
      if (axis->*stride != run || run >= wanted) break;
      int64_t& taken = taken_[axis - axes_.data()];
      const bool fits = 2 * run * axis->extent <= 3 * wanted;  // half as much again is no reason
      taken = fits ? axis->extent
                   : std::max(taken, cut(axis->extent, host::ceil_div(wanted, run),
                                         line / std::gcd(line, run)));
      run *= taken;
      if (is_cut(*axis)) break;
    }
    return run;
  }

 private:
  const std::vector<Axis>& axes_;
  std::vector<int64_t> taken_;
};

// All places that the axes lead to, the first axis the fastest.
std::vector<Piece> pieces(const std::vector<Axis>& axes) {
  std::vector<Piece> all = {{0, 0}};
  for (const Axis& axis : axes) {
    const std::vector<Piece> below = all;
    for (int64_t i = 1; i < axis.extent; ++i)
      for (const Piece& piece : below)
        all.push_back({piece.in + i * axis.in, piece.out + i * axis.out});
  }
  return all;
}

std::vector<const Axis*> sorted(const std::vector<Axis>& axes, int64_t Axis::*stride) {
  std::vector<const Axis*> order;
  for (const Axis& axis : axes) order.push_back(&axis);
  // Of input strides that are alike the longest axis is the columns.
  std::ranges::sort(order, [&](const Axis* a, const Axis* b) {
    return a->*stride != b->*stride ? a->*stride < b->*stride : a->extent > b->extent;
  });
  return order;
}

const Axis* of_stride_1(const std::vector<const Axis*>& order, int64_t Axis::*stride) {
  const auto found =
      std::ranges::find_if(order, [&](const Axis* axis) { return axis->*stride == 1; });
  return found == order.end() ? nullptr : *found;
}

}  // namespace

int64_t Tiling::tiles() const {
  return std::accumulate(steps.begin(), steps.end(), int64_t{1},
                         [](int64_t count, const Step& step) { return count * step.count(); });
}

Tiling tiling(const std::vector<Axis>& axes, const Wish& wish) {
  const std::vector<const Axis*> by_in = sorted(axes, &Axis::in);
  const std::vector<const Axis*> by_out = sorted(axes, &Axis::out);
  // An axis whose input repeats continues no run of the input.
  std::vector<const Axis*> moving = by_in;
  std::erase_if(moving, [](const Axis* axis) { return axis->in <= 0; });

  Cutter cutter(axes);
  cutter.take_run(by_out, &Axis::out, wish.out_run, wish.line);
  std::vector<const Axis*> in_run_of_the_output;
  for (const Axis* axis : by_out)
    if (cutter.taken(*axis) > 1) in_run_of_the_output.push_back(axis);
  const auto is_inner = [&](const Axis* axis) {
    return std::ranges::find(in_run_of_the_output, axis) != in_run_of_the_output.end();
  };

  Tiling t{};
  t.in_run = cutter.take_run(moving, &Axis::in, wish.in_run, wish.line);
  t.run = 1;
  for (const Axis* axis : in_run_of_the_output) t.run *= cutter.taken(*axis);
  for (const Axis* axis : by_in)
    if (cutter.is_cut(*axis)) t.steps.push_back({*axis, cutter.taken(*axis)});

  // Takes an axis into the tile, and remembers the step along which a last tile has less of it.
  const auto take = [&](const Axis* axis, int& step) {
    const auto found =
        std::ranges::find(t.steps, axis->out, [](const Step& one) { return one.axis.out; });
    if (found != t.steps.end()) step = static_cast<int>(found - t.steps.begin());
    return Axis{cutter.taken(*axis), axis->in, axis->out};
  };
  const Axis* const cols = of_stride_1(moving, &Axis::in);
  const Axis* rows = of_stride_1(by_out, &Axis::out);
  if (rows == cols) rows = nullptr;
  t.rows = t.cols = {1, 0, 0};
  t.rows_step = t.cols_step = t.inner_step = t.outer_step = -1;
  if (rows != nullptr) t.rows = take(rows, t.rows_step);
  if (cols != nullptr) t.cols = take(cols, t.cols_step);
  t.cols_are_inner = cols != nullptr && is_inner(cols);

  std::vector<Axis> inner, outer;
  for (const Axis* axis : in_run_of_the_output)
    if (axis != rows && axis != cols) inner.push_back(take(axis, t.inner_step));
  for (const Axis* axis : moving)
    if (axis != rows && axis != cols && !is_inner(axis) && cutter.taken(*axis) > 1)
      outer.push_back(take(axis, t.outer_step));
  t.inner = pieces(inner);
  t.outer = pieces(outer);
  return t;
}

}  // namespace host_permute
