#include "tiling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace cuda_permute {
namespace {

constexpr int64_t kSector = 32;
constexpr int64_t kLeastRun = kSector;  // bytes
// The cost of a run of the input besides its sectors, as in the cost model.
constexpr double kRunBytes = 8;
// The share of a tile's time that its loads take if they were alone.
constexpr double kWorthOfFullTiles = 0.25;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// About `wanted` of an axis, so that all tiles are nearly alike; a multiple of `unit` where there
// is room for one.
int64_t cut(int64_t extent, int64_t wanted, int64_t unit) {
  const int64_t count = std::max<int64_t>((extent + wanted / 2) / wanted, 1);
  const int64_t even = ceil_div(extent, count);
  const int64_t whole = ceil_div(even, unit) * unit;
  return std::min(whole <= 2 * even ? whole : even, extent);
}

class Cutter {
 public:
  Cutter(const Form& form, const Wish& wish)
      : form_(form),
        square_(wish.square),
        most_(wish.elements),
        out_end_(wish.out_end),
        processors_(static_cast<double>(wish.processors)),
        inner_(inner_axes(form)),
        by_in_(by_input(form.axes)),
        by_out_(by_output(form.axes)) {}

  // The extents of a tile of these runs, in elements.
  void take_runs(int64_t out_run, int64_t in_run, std::vector<int64_t>& extents) const {
    extents.assign(form_.axes.size(), 1);
    if (square_ > 1)
      for (const int axis : {inner_.in, inner_.out}) extents[at(axis)] = square_;
    take(by_out_, out_run, extents);
    take(by_in_, in_run, extents);
  }

  // The cost of a tile of its extents: about the bytes that move for each byte. Infinity: too many
  // elements. The rest of the tile is filled in.
  double cost_of(Tile& tile) const {
    tile.elements = tile.tiles = 1;
    for (const int64_t extent : tile.extents) {
      tile.elements *= extent;
      if (tile.elements > most_) return std::numeric_limits<double>::infinity();
    }
    double filled = 1;
    for (size_t i = 0; i < form_.axes.size(); ++i) {
      const int64_t extent = form_.axes[i].extent, count = ceil_div(extent, tile.extents[i]);
      tile.tiles = count > kManyTiles / tile.tiles ? kManyTiles : tile.tiles * count;
      filled *= static_cast<double>(extent) / static_cast<double>(count * tile.extents[i]);
    }
    const double moved =
        traffic(by_in_, &Axis::in, form_.in_alignment, kRunBytes, tile.extents, tile.load_run) +
        traffic(by_out_, &Axis::out, form_.out_alignment, out_end_, tile.extents, tile.store_run);
    filled *= static_cast<double>(tile.elements) / static_cast<double>(most_);
    const double idle = std::max(processors_ / static_cast<double>(tile.tiles), 1.0);
    return moved / 2 * (1 + kWorthOfFullTiles * (1 - filled)) * std::sqrt(idle);
  }

 private:
  static constexpr int64_t kManyTiles = int64_t{1} << 56;

  static size_t at(int axis) { return static_cast<size_t>(axis); }
  const Axis& axis(int number) const { return form_.axes[at(number)]; }

  // Lengthens a run by one axis after the other, and cuts the last.
  void take(const std::vector<int>& order, int64_t wanted, std::vector<int64_t>& taken) const {
    int64_t run = 1;
    const int64_t sector = std::max<int64_t>(kSector / form_.bytes, 1);
    for (const int number : order) {
      if (run >= wanted) return;
      const int64_t extent = axis(number).extent;
      int64_t& part = taken[at(number)];
      int64_t longer = extent;
      if (extent > 3 * wanted / (2 * run))  // half as much again is no reason
        longer = cut(extent, ceil_div(wanted, run), sector / std::gcd(sector, run));
      if (square_ > 1 && (number == inner_.in || number == inner_.out))
        longer = ceil_div(longer, square_) * square_;
      part = std::max(part, longer);
      run *= part;
      if (part < extent) return;
    }
  }

  // Bytes that move for each byte of a run of one side, whose length is told.
  double traffic(const std::vector<int>& order, int64_t Axis::*stride, int64_t alignment,
                 double end, const std::vector<int64_t>& taken, int64_t& run_bytes) const {
    int64_t run = 1, aligned = std::gcd(alignment, kSector);
    bool ended = false;
    for (const int number : order) {
      const int64_t step = std::abs(axis(number).*stride);
      const bool continues = !ended && step == run;
      if (continues) run *= taken[at(number)];
      ended = !continues || taken[at(number)] < axis(number).extent;
      // Runs begin at multiples of the strides of all other axes, and of the length of a cut one.
      if (ended && step != 0)
        aligned = std::gcd(aligned, step * (continues ? taken[at(number)] : 1) * form_.bytes);
    }
    run_bytes = run * form_.bytes;
    return (static_cast<double>(ceil_div(run_bytes, aligned) * aligned + kSector - aligned) + end) /
           static_cast<double>(run_bytes);
  }

  const Form& form_;
  int64_t square_, most_;
  double out_end_, processors_;
  Inner inner_;
  std::vector<int> by_in_, by_out_;
};

template <class Key>
std::vector<int> sorted(const std::vector<Axis>& axes, const Key& key) {
  std::vector<int> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](int number) { return key(axes[static_cast<size_t>(number)]); });
  return order;
}

}  // namespace

std::vector<int> by_input(const std::vector<Axis>& axes) {
  return sorted(axes, [](const Axis& axis) {
    return axis.in == 0 ? std::numeric_limits<int64_t>::max() : std::abs(axis.in);
  });
}

std::vector<int> by_output(const std::vector<Axis>& axes) {
  return sorted(axes, [](const Axis& axis) { return axis.out; });
}

Form widened(Form form) {
  const auto kept = std::ranges::find_if(
      form.axes, [](const Axis& axis) { return axis.in == 1 && axis.out == 1; });
  if (kept == form.axes.end()) return form;
  const auto even = [&](const Axis& axis) {
    return &axis == &*kept ? axis.extent % 2 == 0 : axis.in % 2 == 0 && axis.out % 2 == 0;
  };
  while (form.bytes < 16 &&
         std::min(form.in_alignment, form.out_alignment) % (2 * form.bytes) == 0 &&
         std::ranges::all_of(form.axes, even)) {
    form.bytes *= 2;
    kept->extent /= 2;
    for (Axis& axis : form.axes)
      if (&axis != &*kept) axis.in /= 2, axis.out /= 2;
  }
  if (kept->extent == 1) form.axes.erase(kept);
  return form;
}

std::optional<StripForm> in_strips(const Form& form, int64_t word) {
  const int64_t of_word = word / form.bytes;
  StripForm strips{{word, word, word, {}}, -1};
  bool has_along = false;
  for (const Axis& axis : form.axes) {
    Axis words{axis.extent, axis.in / of_word, axis.out / (kStripRows * of_word) * kStripRows};
    if (axis.in == 1 && axis.out == kStripRows && axis.extent % of_word == 0) {
      has_along = true;
      words = {axis.extent / of_word, 1, kStripRows};
    } else if (axis.in % of_word != 0) {
      return std::nullopt;
    } else if (axis.out == 1 && axis.extent == kStripRows) {
      strips.rows = static_cast<int>(strips.form.axes.size());
      words.out = 1;
    } else if (axis.out % (kStripRows * of_word) != 0) {
      return std::nullopt;
    }
    if (words.extent > 1) strips.form.axes.push_back(words);
  }
  if (!has_along || strips.rows < 0) return std::nullopt;
  return strips;
}

int64_t kept_bytes(const Form& form) {
  for (const Axis& axis : form.axes)
    if (axis.in == 1 && axis.out == 1) return axis.extent * form.bytes;
  return form.bytes;
}

Inner inner_axes(const Form& form) {
  Inner inner;
  for (size_t i = 0; i < form.axes.size(); ++i) {
    if (form.axes[i].in == 1) inner.in = static_cast<int>(i);
    if (form.axes[i].out == 1) inner.out = static_cast<int>(i);
  }
  if (inner.in == inner.out || inner.in < 0 || inner.out < 0) return {};
  return inner;
}

int64_t square_of(const Form& form, int64_t most_bytes) {
  const Inner inner = inner_axes(form);
  if (inner.in < 0) return 1;
  const auto fits = [&](int64_t side) {
    if (std::min(form.in_alignment, form.out_alignment) % (side * form.bytes) != 0) return false;
    for (size_t i = 0; i < form.axes.size(); ++i) {
      const Axis& axis = form.axes[i];
      const bool is_in = static_cast<int>(i) == inner.in, is_out = static_cast<int>(i) == inner.out;
      if ((is_in || is_out) && axis.extent % side != 0) return false;
      if (!is_in && axis.in % side != 0) return false;
      if (!is_out && axis.out % side != 0) return false;
    }
    return true;
  };
  int64_t side = 1;
  while (2 * side * form.bytes <= most_bytes && fits(2 * side)) side *= 2;
  return side;
}

Tile tile_of(const Form& form, const Wish& wish) {
  const Cutter cutter(form, wish);
  Tile best{}, tile{};
  std::vector<int64_t> tried;  // the extents before
  double least = std::numeric_limits<double>::infinity();
  const auto try_out_run = [&](int64_t out_run) {
    for (int64_t power = kLeastRun; power <= wish.longest_load; power *= 2)
      for (const int64_t in_run : {power, power / 2 * 3}) {
        cutter.take_runs(std::max<int64_t>(out_run / form.bytes, 1),
                         std::max<int64_t>(in_run / form.bytes, 1), tile.extents);
        if (tile.extents == tried) continue;
        tried = tile.extents;
        const double cost = cutter.cost_of(tile);
        if (cost >= least) continue;
        least = cost;
        best = tile;
      }
  };
  for (const int64_t out_run :
       {wish.longest, wish.longest / 4 * 3, wish.out_run, wish.out_run / 4 * 3, wish.out_run / 2})
    try_out_run(out_run);
  // Only if all of these have too many elements.
  for (int64_t out_run = wish.out_run / 4; best.extents.empty(); out_run /= 2) try_out_run(out_run);
  return best;
}

}  // namespace cuda_permute
