#include "exchange/tiles.hpp"

namespace xpose {
namespace {

std::int64_t index_of(const Piece& piece, Place place) {
  return place == Place::from ? piece.from : place == Place::to ? piece.to : piece.packed;
}

std::int64_t step_of(const PieceGroup& group, Place place) {
  return place == Place::from ? group.from_step
         : place == Place::to ? group.to_step
                              : group.packed_step;
}

// Two pieces that lie side by side at both places are one.
std::vector<AxisRun> joined(const PieceGroup& group, Place in, Place out) {
  std::vector<AxisRun> pieces;
  for (const Piece& piece : group.pieces) {
    AxisRun next{.in = index_of(piece, in), .out = index_of(piece, out), .extent = piece.extent};
    if (!pieces.empty() && pieces.back().in + pieces.back().extent == next.in &&
        pieces.back().out + pieces.back().extent == next.out)
      pieces.back().extent += next.extent;
    else
      pieces.push_back(next);
  }
  return pieces;
}

// Whether the next piece continues the run; the second piece of a run sets its steps.
bool extend(AxisRun& run, const AxisRun& next) {
  if (next.extent != run.extent) return false;
  const std::int64_t in_step = next.in - run.in, out_step = next.out - run.out;
  if (run.count == 1) {
    run.in_step = in_step;
    run.out_step = out_step;
  } else if (in_step != run.count * run.in_step || out_step != run.count * run.out_step) {
    return false;
  }
  ++run.count;
  return true;
}

// Each piece alone.
std::vector<AxisRun> pieces(const std::vector<AxisRun>& runs) {
  std::vector<AxisRun> all;
  for (const AxisRun& run : runs)
    for (std::int64_t repeat = 0; repeat < run.repeats; ++repeat)
      for (std::int64_t i = 0; i < run.count; ++i)
        all.push_back({.in = run.in + repeat * run.in_period + i * run.in_step,
                       .out = run.out + repeat * run.out_period + i * run.out_step,
                       .extent = run.extent});
  return all;
}

}  // namespace

std::vector<AxisRun> runs(const SharedIndices& shared, Place in, Place out) {
  std::vector<AxisRun> all;
  for (const PieceGroup& group : shared.groups) {
    const std::size_t first = all.size();
    for (const AxisRun& next : joined(group, in, out))
      if (all.size() == first || !extend(all.back(), next)) all.push_back(next);
    for (std::size_t i = first; i < all.size(); ++i) {
      all[i].repeats = group.repeats;
      all[i].in_period = step_of(group, in);
      all[i].out_period = step_of(group, out);
    }
  }
  return all;
}

std::vector<Rectangle> rectangles(const std::array<SharedIndices, 2>& axes, int fast,
                                  const Strides& packed, const Strides& out) {
  const auto along = static_cast<std::size_t>(fast), across = 1 - along;
  std::vector<Rectangle> all;
  for (const AxisRun& row : pieces(runs(axes[across], Place::packed, Place::to)))
    for (const AxisRun& run : pieces(runs(axes[along], Place::packed, Place::to)))
      all.push_back({packed.offset + row.in * packed.axis[across] + run.in * packed.axis[along],
                     packed.axis[across],
                     out.offset + row.out * out.axis[across] + run.out * out.axis[along],
                     out.axis[across], run.extent, row.extent});
  return all;
}

std::optional<std::int64_t> begin_of_run(const SharedIndices& shared, Place place) {
  std::optional<std::int64_t> begin;
  for (const PieceGroup& group : shared.groups) {
    if (group.repeats > 1 && step_of(group, place) != group.packed_step) return std::nullopt;
    for (const Piece& piece : group.pieces) {
      const std::int64_t of_first = index_of(piece, place) - piece.packed;
      if (begin && of_first != *begin) return std::nullopt;
      begin = of_first;
    }
  }
  return begin;
}

std::vector<Tile> tiles(const std::array<SharedIndices, 2>& axes, const TileSide& in,
                        const TileSide& out, std::uint32_t element_bytes) {
  const std::array lists = {runs(axes[0], in.place, out.place), runs(axes[1], in.place, out.place)};
  constexpr std::array kOrder = {0, 1, 2, 3, 4, 5};
  std::vector<Tile> all;
  for (const AxisRun& row : lists[0])
    for (const AxisRun& col : lists[1]) {
      const auto [in0, in1] = in.strides.axis;
      const auto [out0, out1] = out.strides.axis;
      const std::array shape = {row.repeats, row.count, row.extent,
                                col.repeats, col.count, col.extent};
      const std::array in_strides = {row.in_period * in0, row.in_step * in0, in0,
                                     col.in_period * in1, col.in_step * in1, in1};
      const std::array out_strides = {row.out_period * out0, row.out_step * out0, out0,
                                      col.out_period * out1, col.out_step * out1, out1};
      all.push_back({permutation(shape, kOrder, in_strides, out_strides, element_bytes),
                     in.strides.offset + row.in * in0 + col.in * in1,
                     out.strides.offset + row.out * out0 + col.out * out1});
    }
  return all;
}

}  // namespace xpose
