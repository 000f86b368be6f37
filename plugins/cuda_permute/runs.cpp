#include "runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "places.hpp"
#include "run_sides.hpp"

namespace cuda_permute {
namespace {

constexpr int64_t kLine = 128;         // of banks, in which places are swizzled
constexpr int64_t kSpareBytes = 2048;  // for paddings, besides an eighth of the tile
// Elements of a longer run of the output have no entry in a table each: those of its inner axes
// have, and as many of its last one as make so many of them.
constexpr int64_t kLeastPeriod = 256;

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
  Side load = input_side(parts, by_in, bytes);
  Side store = output_side(parts, by_out);
  to.wide = bytes < 8 && std::min(load.run, store.run) * bytes >= kWideRun;
  load.word = in_word(bytes, to.wide);
  store.word = out_word(bytes, to.wide);
  const std::vector<int64_t> extents = extents_of(parts);
  // A block has the same shared memory with paddings and without.
  const int64_t dense = of.tile().elements * bytes;
  const int64_t most = std::min((dense + dense / 8 + kSpareBytes) / kLine * kLine, kMostTile);
  const Layout layout{.extents = extents,
                      .load = {by_in, load.word / bytes},
                      .store = {by_out, store.word / bytes},
                      .nest = by_in,
                      .dense = load.run_axes,
                      .unit = bytes,
                      .most = most - 2 * load.word,
                      .word = load.word,
                      .remainders = remainders_of(parts, bytes, load.word),
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
    store = output_side(stores, by_output(stores.axes));
    store.word = 1;
    to.store = run_side(stores, store, of_strips, 1);
  } else {
    to.store = run_side(parts, store, strides, bytes);
  }
  add_period(to);
  if (to.strip_place == 0) to.places += 2 * static_cast<uint32_t>(store.word / bytes - 1);
  to.places = (to.places + 15) / 16 * 16;
  if (shared_bytes(to, bytes) - to.tile_bytes > kTableBytes) return std::nullopt;
  add_span(to, of.form());
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
