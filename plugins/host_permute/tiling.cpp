#include "tiling.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "../kit/host/ceil_div.hpp"

namespace host_permute {
namespace {

using Axes = std::vector<const Axis*>;

// Rows or columns from which on a block gains nothing by more: several of the widest vectors.
constexpr int64_t kLongSide = 64;
// Runs of the output that may be gathered together.
constexpr int64_t kMostRuns = 16;

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
  explicit Cutter(const std::vector<Axis>& axes)
      : Cutter(axes, std::vector(axes.size(), int64_t{1})) {}
  Cutter(const std::vector<Axis>& axes, std::vector<int64_t> taken)
      : axes_(axes), taken_(std::move(taken)) {}

  const std::vector<int64_t>& taken() const { return taken_; }
  int64_t taken(const Axis& axis) const { return taken_[&axis - axes_.data()]; }
  bool is_cut(const Axis& axis) const { return taken(axis) < axis.extent; }

  // Lengthens a run by one axis after the other, as long as they continue it, and cuts the last.
  // Returns its axes.
  Axes take_run(const Axes& order, int64_t Axis::*stride, int64_t wanted, int64_t line) {
    int64_t run = 1;
    Axes axes;
    for (const Axis* axis : order) {
      if (axis->*stride != run || run >= wanted) break;
      int64_t& taken = taken_[axis - axes_.data()];
      const bool fits = 2 * run * axis->extent <= 3 * wanted;  // half as much again is no reason
      taken = fits ? axis->extent
                   : std::max(taken, cut(axis->extent, host::ceil_div(wanted, run),
                                         line / std::gcd(line, run)));
      run *= taken;
      axes.push_back(axis);
      if (is_cut(*axis)) break;
    }
    return axes;
  }

  int64_t elements(const Axes& axes) const {
    return std::accumulate(axes.begin(), axes.end(), int64_t{1},
                           [&](int64_t n, const Axis* axis) { return n * taken(*axis); });
  }

 private:
  const std::vector<Axis>& axes_;
  std::vector<int64_t> taken_;
};

bool contains(const Axes& axes, const Axis* axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

// Shares the axes of the two runs of a tile out to the rows and the columns of its blocks. Each
// takes axes that follow each other in its run, the shorter side first, until one is met that the
// other side has.
struct Sides {
  Sides(const Cutter& cutter, const Axes& out_run, const Axes& in_run, bool wide = false) {
    const auto next = [&](const Axes& run, const Axes& side, const Axes& other) -> const Axis* {
      const bool is_long = cutter.elements(side) >= kLongSide && !(wide && &side == &cols);
      if (side.size() == run.size() || is_long) return nullptr;
      const Axis* const axis = run[side.size()];
      return contains(other, axis) ? nullptr : axis;
    };
    while (true) {
      const Axis* const row = next(out_run, rows, cols);
      const Axis* col = next(in_run, cols, rows);
      // The buffer holds all runs that a column axis of theirs goes through.
      if (col != nullptr && contains(out_run, col) && runs(cutter, out_run) > kMostRuns)
        col = nullptr;
      if (row == nullptr && col == nullptr) return;
      const bool rows_are_shorter = cutter.elements(rows) <= cutter.elements(cols);
      if (col == nullptr || (row != nullptr && rows_are_shorter))
        rows.push_back(row);
      else
        cols.push_back(col);
    }
  }

  // Runs of the output that the columns belong to.
  int64_t runs(const Cutter& cutter, const Axes& out_run) const {
    Axes apart = cols;
    std::erase_if(apart, [&](const Axis* axis) { return contains(out_run, axis); });
    return cutter.elements(apart);
  }

  Axes rows, cols;
};

// All places that the axes lead to, the first axis the fastest.
std::vector<Piece> pieces(const std::vector<Axis>& axes) {
  int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.extent;
  std::vector<Piece> all;
  all.reserve(static_cast<size_t>(count));
  all.push_back({0, 0});
  for (const Axis& axis : axes) {
    const size_t below = all.size();
    for (int64_t i = 1; i < axis.extent; ++i)
      for (size_t k = 0; k < below; ++k)
        all.push_back({all[k].in + i * axis.in, all[k].out + i * axis.out});
  }
  return all;
}

std::vector<int64_t> places(const std::vector<Axis>& axes, int64_t Piece::*side) {
  const std::vector<Piece> both = pieces(axes);
  std::vector<int64_t> all;
  all.reserve(both.size());
  for (const Piece& piece : both) all.push_back(piece.*side);
  return all;
}

Axes sorted(const std::vector<Axis>& axes, int64_t Axis::*stride) {
  Axes order;
  for (const Axis& axis : axes) order.push_back(&axis);
  // Of input strides that are alike the longest axis is the columns.
  std::ranges::sort(order, [&](const Axis* a, const Axis* b) {
    const int64_t of_a = std::abs(a->*stride), of_b = std::abs(b->*stride);
    return of_a != of_b ? of_a < of_b : a->extent > b->extent;
  });
  return order;
}

}  // namespace

int64_t Tiling::tiles() const {
  return std::accumulate(steps.begin(), steps.end(), int64_t{1},
                         [](int64_t count, const Step& step) { return count * step.count(); });
}

Cuts cuts(const std::vector<Axis>& axes, const Wish& wish) {
  // An axis whose input repeats continues no run of the input.
  Axes moving = sorted(axes, &Axis::in);
  std::erase_if(moving, [](const Axis* axis) { return axis->in <= 0; });
  Cutter cutter(axes);
  Cuts cuts{};
  cuts.wide = wish.wide;
  cuts.out_run = cutter.take_run(sorted(axes, &Axis::out), &Axis::out, wish.out_run, wish.line);
  cuts.in_run = cutter.take_run(moving, &Axis::in, wish.in_run, wish.line);
  cuts.taken = cutter.taken();
  return cuts;
}

Tiling tiling(const std::vector<Axis>& axes, const Cuts& cuts) {
  const Cutter cutter(axes, cuts.taken);
  const Axes &out_run = cuts.out_run, &in_run = cuts.in_run;
  Tiling t{};
  t.read_run = cutter.elements(in_run);
  t.run = cutter.elements(out_run);
  for (const Axis* axis : sorted(axes, &Axis::in))
    if (cutter.is_cut(*axis)) t.steps.push_back({*axis, cutter.taken(*axis)});

  // Takes axes into the tile, and remembers the step along which a last tile has less of them.
  const auto take = [&](const Axes& some, int& step) {
    std::vector<Axis> all;
    step = -1;
    for (const Axis* axis : some) {
      const auto found =
          std::ranges::find(t.steps, axis->out, [](const Step& one) { return one.axis.out; });
      if (found != t.steps.end()) step = static_cast<int>(found - t.steps.begin());
      all.push_back({cutter.taken(*axis), axis->in, axis->out});
    }
    return all;
  };
  t.copies = cuts.copies();
  Sides sides =
      t.copies ? Sides(cutter, {}, {in_run.front()}) : Sides(cutter, out_run, in_run, cuts.wide);
  t.rows = places(take(sides.rows, t.rows_step), &Piece::in);
  t.cols = places(take(sides.cols, t.cols_step), &Piece::out);
  std::vector<Axis> within = take(sides.cols, t.cols_step);
  t.whole_cols = 1;
  int64_t cols = 1;
  for (size_t i = 0; i < within.size(); ++i) {
    cols *= within[i].extent;
    if (contains(out_run, sides.cols[i]))
      t.whole_cols = cols;
    else
      within[i].out = 0;
  }
  t.in_run = places(within, &Piece::out);

  Axes inner = out_run, outer = in_run;
  const auto is_of_a_side = [&](const Axis* axis) {
    return contains(sides.rows, axis) || contains(sides.cols, axis);
  };
  std::erase_if(inner, is_of_a_side);
  std::erase_if(outer,
                [&](const Axis* axis) { return is_of_a_side(axis) || contains(out_run, axis); });
  t.inner = pieces(take(inner, t.inner_step));
  t.outer = pieces(take(outer, t.outer_step));
  return t;
}

}  // namespace host_permute
