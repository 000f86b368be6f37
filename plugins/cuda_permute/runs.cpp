#include "runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "places.hpp"

namespace cuda_permute {
namespace {

constexpr int64_t kTableBytes = 10 << 10;  // at most, words that warps exchange included
constexpr int64_t kPlaces = 0xff00;        // fit into 16 bits
constexpr int64_t kLine = 128;             // of banks, in which places are swizzled
constexpr int64_t kSpareBytes = 2048;      // for paddings, besides an eighth of the tile
// Elements of a run of the output that have entries in a table; of a longer run those of its inner
// axes have, and as many of its last one as make kLeastPeriod of them.
constexpr int64_t kMostPlaces = 1024, kLeastPeriod = 256;
// Bytes of a run of the input from which on its next axis may rather be padded.
constexpr int64_t kLongLoad = 256;

int64_t remainder(int64_t value, int64_t by) { return (value % by + by) % by; }

// A side of a tile: its axes, the fastest first, and as many of them as are a run.
struct Side {
  std::vector<int> order;
  int64_t Axis::*stride;
  size_t run_axes;
  int64_t run;       // elements
  int64_t word = 0;  // bytes
};

// Axes of the run continue each other, as long as goes_on(elements of the run, extent of the next
// axis). Of the others one that is cut comes last, so that the tiles that have less of it have
// fewer runs.
template <class GoesOn>
Side side(const Parts& parts, std::vector<int> order, int64_t Axis::*stride,
          const GoesOn& goes_on) {
  int64_t run = 1;
  size_t count = 0;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    if (axis.*stride != run || (count > 0 && !goes_on(run, axis.extent))) break;
    run *= axis.extent;
    ++count;
    if (parts.cut[at] != 0) break;
  }
  const auto first = order.begin() + static_cast<int64_t>(count);
  std::stable_partition(first, order.end(),
                        [&](int number) { return parts.cut[static_cast<size_t>(number)] == 0; });
  return {std::move(order), stride, count, run};
}

// The axis whose three elements are interleaved in the output, and the one along the rows of which
// they are.
struct Strips {
  size_t rows, along;
};

// Nothing where strips are no whole words on a side.
std::optional<Strips> strips_of(const Form& form, const Parts& parts) {
  if (form.bytes > 2) return std::nullopt;
  const int64_t of_word = kWord / form.bytes, of_strip = kStripRows * of_word;
  for (const Axis& axis : form.axes) {
    const bool is_along = axis.in == 1 && axis.out == kStripRows, is_rows = axis.out == 1;
    if (!is_along && axis.in % of_word != 0) return std::nullopt;
    if (!is_along && !is_rows && axis.out % of_strip != 0) return std::nullopt;
  }
  std::optional<size_t> rows, along;
  for (size_t i = 0; i < parts.axes.size(); ++i) {
    const Axis& axis = parts.axes[i];
    if (axis.out == 1 && axis.extent == kStripRows && parts.cut[i] == 0) rows = i;
    if (axis.in == 1 && axis.out == kStripRows && axis.extent % of_word == 0 &&
        parts.left[i] % of_word == 0)
      along = i;
  }
  if (!rows || !along || parts.axes[*along].extent == of_word) return std::nullopt;
  return Strips{*rows, *along};
}

// The axes of the output as strips number them, and their strides in shared memory.
Parts in_strips(Parts parts, std::vector<int64_t>& places, const Strips& strips, int64_t of_word) {
  parts.axes[strips.along].extent /= of_word;
  parts.left[strips.along] /= of_word;
  places[strips.along] *= of_word;
  for (Axis& axis : parts.axes) axis.out = axis.out / (kStripRows * of_word);
  parts.axes[strips.along].out = 1;
  const auto at = static_cast<std::ptrdiff_t>(strips.rows);
  parts.axes.erase(parts.axes.begin() + at);
  parts.cut.erase(parts.cut.begin() + at);
  parts.left.erase(parts.left.begin() + at);
  places.erase(places.begin() + at);
  return parts;
}

RunSide::Length length(uint32_t elements, int64_t bytes, int64_t word) {
  const int64_t words = std::max<int64_t>((elements * bytes + word - bytes + word - 1) / word, 2);
  return {elements, static_cast<uint32_t>(words), division_by(words)};
}

RunSide run_side(const Parts& parts, const Side& of, const std::vector<int64_t>& places,
                 int64_t bytes) {
  RunSide side{};
  side.run_axes = static_cast<int32_t>(of.run_axes);
  side.run = length(1, bytes, of.word);
  side.runs = 1;
  for (const int number : of.order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    const auto extent = static_cast<uint32_t>(axis.extent);
    if (side.axes < side.run_axes) {
      if (parts.cut[at] != 0) {
        side.run_cut = parts.cut[at];
        side.last_run =
            length(side.run.elements * static_cast<uint32_t>(parts.left[at]), bytes, of.word);
      }
      side.run = length(side.run.elements * extent, bytes, of.word);
    } else {
      if (parts.cut[at] != 0 && number == of.order.back()) {
        side.cut = parts.cut[at];
        side.last_runs = side.runs * static_cast<uint32_t>(parts.left[at]);
      }
      side.runs *= extent;
    }
    side.axis[side.axes++] = parts.tile_axis(number, of.stride, places[at]);
  }
  return side;
}

// The table of places: of a whole run, or of a period of it.
void add_period(Runs& to) {
  const RunSide& store = to.store;
  to.places = store.run.elements;
  if (to.places <= kMostPlaces) return;
  const TileAxis& last = store.axis[store.run_axes - 1];
  const uint32_t inner = store.run.elements / last.extent;
  const uint32_t of_last = std::max<uint32_t>(kLeastPeriod / inner, 1);
  to.places = to.period = inner * of_last;
  to.period_place = of_last * last.place;
  to.by_period = division_by(to.period);
}

enum class Unit { element, strip };

std::optional<Runs> made(const Cut& of, bool along_input, bool paddings, Unit unit) {
  if (of.tile().tiles > INT32_MAX) return std::nullopt;
  const int64_t bytes = of.form().bytes;
  Runs to{};
  const Parts parts(of, add_steps(of, along_input, to.step, to.steps));
  const std::vector<int> by_in = by_input(parts.axes), by_out = by_output(parts.axes);
  Side load = side(parts, by_in, &Axis::in, [&](int64_t run, int64_t extent) {
    return run * extent <= kMostPlaces || run * bytes < kLongLoad;
  });
  const auto goes_on = [](int64_t run, int64_t) { return run < kMostPlaces; };
  Side store = side(parts, by_out, &Axis::out, goes_on);
  to.wide = bytes < 8 && std::min(load.run, store.run) * bytes >= kWideRun;
  load.word = in_word(bytes, to.wide);
  store.word = out_word(bytes, to.wide);
  std::vector<int64_t> extents, remainders;
  for (const Axis& axis : parts.axes) {
    extents.push_back(axis.extent);
    remainders.push_back(remainder(axis.in * bytes, load.word));
  }
  // A block has the same shared memory with paddings and without.
  const int64_t dense = of.tile().elements * bytes;
  const int64_t most = std::min((dense + dense / 8 + kSpareBytes) / kLine * kLine, kPlaces);
  const Layout layout{.extents = extents,
                      .load = {by_in, load.word / bytes},
                      .store = {by_out, store.word / bytes},
                      .nest = by_in,
                      .dense = load.run_axes,
                      .unit = bytes,
                      .most = most - 2 * load.word,
                      .word = load.word,
                      .remainders = remainders,
                      .tries_paddings = paddings};
  const std::vector<int64_t> strides = places(layout);
  to.swizzled = paddings && unit == Unit::element && swizzling_helps(layout, strides);
  int64_t end = 2 * load.word;
  for (size_t i = 0; i < strides.size(); ++i) end += strides[i] * (extents[i] - 1);
  if (end > most) return std::nullopt;
  to.tile_bytes = static_cast<uint32_t>(most);
  to.load = run_side(parts, load, strides, bytes);
  if (unit == Unit::strip) {
    const auto strips = strips_of(of.form(), parts);
    if (!strips) return std::nullopt;
    to.strip_place = static_cast<uint32_t>(strides[strips->rows]);
    std::vector<int64_t> of_strips = strides;
    const Parts stores = in_strips(parts, of_strips, *strips, kWord / bytes);
    store = side(stores, by_output(stores.axes), &Axis::out, goes_on);
    store.word = 1;
    to.store = run_side(stores, store, of_strips, 1);
  } else {
    to.store = run_side(parts, store, strides, bytes);
  }
  add_period(to);
  if (to.strip_place == 0) to.places += 2 * static_cast<uint32_t>(store.word / bytes - 1);
  to.places = (to.places + 15) / 16 * 16;
  if (shared_bytes(to, bytes) - to.tile_bytes > kTableBytes) return std::nullopt;
  to.end = bytes;
  for (const Axis& axis : of.form().axes)
    (axis.in < 0 ? to.low : to.end) += std::abs(axis.in) * (axis.extent - 1) * bytes;
  return to;
}

}  // namespace

std::optional<Runs> runs(const Cut& cut, bool along_input, bool paddings) {
  return made(cut, along_input, paddings, Unit::element);
}

std::optional<Runs> strips(const Cut& cut, bool along_input) {
  return made(cut, along_input, true, Unit::strip);
}

uint64_t shared_bytes(const Runs& runs, int64_t element_bytes) {
  const bool strips = runs.strip_place != 0;
  const auto of_place = static_cast<uint64_t>(strips ? 1 : of_entry(element_bytes)) * 2;
  return runs.tile_bytes + runs.places * of_place + (runs.load.runs + runs.store.runs) * 8 +
         (strips ? kThreads * kStripRows * kWord : 0);
}

}  // namespace cuda_permute
