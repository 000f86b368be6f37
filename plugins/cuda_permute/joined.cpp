#include "joined.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "places.hpp"
#include "run_sides.hpp"

namespace cuda_permute {
namespace {

constexpr int64_t kLine = 128;
// More instructions for a word are never worth it.
constexpr double kMostInstructions = 80;

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// How the axes of a tile are parted: into those of a row of columns, the innermost of the input's
// run, those of a run of the output, as many of the innermost of its run, and the others.
struct Parted {
  size_t column_axes = 0, row_axes = 0;
  int64_t columns = 1, last_columns = 1;  // in the last tile along the cut
  int64_t rows = 1;
  uint32_t cut = 0;  // of the columns
  int64_t piece_words = 0;
  double cost = std::numeric_limits<double>::infinity();

  // Instructions for a word of the output of elements of `bytes`. `others`: axes that number the
  // runs. `meet`: lanes that read in one bank.
  void find_cost(int64_t bytes, double others, double meet) {
    constexpr double kMeet = 2, kSwizzled = 9, kPiece = 20, kRow = 7, kRowWord = 2, kColumn = 11,
                     kRun = 60, kRunAxis = 27, kEnd = 30;
    const auto filled = [](int64_t count, int64_t of) {
      return static_cast<double>(count) / static_cast<double>(ceil_div(count, of) * of);
    };
    const int64_t of_word = kWord / bytes;
    double joined = std::numeric_limits<double>::infinity();
    for (const int64_t words : {1, 2}) {
      const int64_t of = words * of_word;
      if (std::min(columns, last_columns) < of) continue;
      const double of_piece =
          kPiece + static_cast<double>(of_word) * (kRow + kRowWord * static_cast<double>(words)) +
          static_cast<double>(of) * (kColumn + (bytes == 1 ? 2 : 1));
      const double loads = 1 + 1 / static_cast<double>(words);
      const double each =
          (of_piece / static_cast<double>(of) + std::min(kMeet * loads * (meet - 1), kSwizzled)) /
          filled(columns, of);
      if (each < joined) joined = each, piece_words = words;
    }
    const double run_words = static_cast<double>(rows * bytes) / static_cast<double>(kWord);
    cost = joined * (run_words + 1) / run_words +
           (kRun + kRunAxis * others + kEnd * 2 * static_cast<double>(of_word)) / run_words;
  }
};

// Lanes whose rows, the next ones along an axis, lie in one bank. Paddings are whole words of
// loads.
double lanes_that_meet(const Axis& rows, int64_t bytes) {
  constexpr int64_t kBanks = 32;
  const int64_t of_lane = kWord / bytes;
  const int64_t place = std::gcd(rows.in * bytes, kJoinedLoad);
  const int64_t meet = std::gcd(place * of_lane / kWord, kBanks);
  return static_cast<double>(std::max<int64_t>(std::min(meet, rows.extent / of_lane), 1));
}

// The parts that cost least.
Parted parted(const Parts& parts, const Side& load, const Side& store, int64_t bytes) {
  Parted best, one;
  const auto axis = [&](int number) -> const Axis& {
    return parts.axes[static_cast<size_t>(number)];
  };
  for (size_t c = 0; c < load.run_axes; ++c) {
    const int number = load.order[c];
    const auto at = static_cast<size_t>(number);
    one.column_axes = c + 1;
    one.last_columns = one.columns * (parts.cut[at] != 0 ? parts.left[at] : axis(number).extent);
    one.columns *= axis(number).extent;
    one.cut |= parts.cut[at];
    one.row_axes = 0, one.rows = 1;
    const auto end = load.order.begin() + static_cast<int64_t>(c) + 1;
    for (size_t r = 0; r < store.run_axes; ++r) {
      if (std::find(load.order.begin(), end, store.order[r]) != end) break;
      one.row_axes = r + 1;
      one.rows *= axis(store.order[r]).extent;
      if (one.rows * bytes < kWord) continue;
      one.find_cost(bytes, static_cast<double>(parts.axes.size() - one.row_axes),
                    lanes_that_meet(axis(store.order[0]), bytes));
      if (one.cost < best.cost) best = one;
    }
  }
  return best;
}

// The stride of each axis in shared memory, with room for paddings of a sixteenth. A block has the
// same shared memory with paddings and without.
std::vector<int64_t> places_of(Layout& layout, bool paddings, uint32_t& tile_bytes) {
  layout.tries_paddings = false;
  std::vector<int64_t> strides = places(layout);
  int64_t end = 2 * layout.word;
  for (size_t i = 0; i < strides.size(); ++i) end += strides[i] * (layout.extents[i] - 1);
  const int64_t most = ceil_div(end + end / 16, kLine) * kLine;
  tile_bytes = static_cast<uint32_t>(std::min<int64_t>(most, UINT32_MAX));
  layout.most = most - 2 * layout.word;
  layout.tries_paddings = paddings;
  return paddings ? places(layout) : strides;
}

Columns columns(int64_t count, int64_t of_piece) {
  return {static_cast<uint32_t>(count), static_cast<uint32_t>(ceil_div(count, of_piece))};
}

}  // namespace

std::optional<Joined> joined(const Cut& of, bool along_input, bool paddings) {
  if (of.tile().tiles > INT32_MAX) return std::nullopt;
  const int64_t bytes = of.form().bytes;
  Joined to{};
  Runs& runs = to.runs;
  const Parts parts(of, add_steps(of, along_input, runs.step, runs.steps));
  const std::vector<int> by_in = by_input(parts.axes);
  Side load = input_side(parts, by_in, bytes);
  Side store = output_side(parts, by_output(parts.axes));
  const Parted part = parted(parts, load, store, bytes);
  if (part.cost > kMostInstructions || part.rows > 2 * kMostPlaces) return std::nullopt;
  to.piece_words = static_cast<uint32_t>(part.piece_words);
  to.instructions = static_cast<float>(part.cost);
  load.word = kJoinedLoad;
  store.word = kWord;
  store.run_axes = part.row_axes;
  store.run = part.rows;

  const auto first = [](const std::vector<int>& order, size_t count) {
    return std::vector<int>(order.begin(), order.begin() + static_cast<int64_t>(count));
  };
  const std::vector<int> columns_of = first(load.order, part.column_axes);
  std::vector<int> joins = first(store.order, part.row_axes), others;
  joins.insert(joins.end(), columns_of.begin(), columns_of.end());
  for (const int number : by_in)
    if (std::ranges::find(joins, number) == joins.end()) others.push_back(number);
  Layout layout{.extents = extents_of(parts),
                .load = {by_in, load.word / bytes},
                .store = {joins, kWord / bytes},
                .nest = by_in,
                .dense = load.run_axes,
                .unit = bytes,
                .most = kMostTile,
                .word = load.word,
                .remainders = remainders_of(parts, bytes, load.word)};
  const std::vector<int64_t> strides = places_of(layout, paddings, runs.tile_bytes);
  if (runs.tile_bytes > kMostTile) return std::nullopt;
  runs.swizzled = paddings && swizzling_helps(layout, strides);
  runs.load = run_side(parts, load, strides, bytes);
  runs.store = run_side(parts, store, strides, bytes);
  runs.places = runs.store.run.words * static_cast<uint32_t>(kWord / bytes);
  add_span(runs, of.form());

  const auto axis = [&](int number) {
    return parts.tile_axis(number, &Axis::out, strides[static_cast<size_t>(number)]);
  };
  int64_t rows = 1;
  for (const int number : columns_of) to.column_axis[to.column_axes++] = axis(number);
  for (const int number : others) {
    to.axis[to.axes++] = axis(number);
    rows *= layout.extents[static_cast<size_t>(number)];
  }
  const int64_t of_piece = part.piece_words * kWord / bytes;
  to.columns = columns(part.columns, of_piece);
  to.last_columns = columns(part.last_columns, of_piece);
  to.cut = part.cut;
  if (to.columns.pieces > 1) to.by_pieces = division_by(to.columns.pieces);
  to.pieces = to.columns.pieces * static_cast<uint32_t>(rows);
  if (shared_bytes(to, bytes) - runs.tile_bytes > kTableBytes) return std::nullopt;
  return to;
}

uint64_t shared_bytes(const Joined& joined, int64_t element_bytes) {
  const Runs& runs = joined.runs;
  const auto of_piece = joined.piece_words * static_cast<uint64_t>(kWord / element_bytes);
  return runs.tile_bytes + runs.load.runs * 8 + joined.pieces * (of_piece * 8 + 2) +
         runs.places * 2;
}

}  // namespace cuda_permute
