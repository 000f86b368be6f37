#include "exchange/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "placement/axis_index.hpp"

namespace xpose {
namespace {

// The common period of both, or the extent where that ends before it.
std::int64_t common_period(const AxisPlacement& from, const AxisPlacement& to) {
  std::int64_t period = 0;
  const std::int64_t factor = to.period / std::gcd(from.period, to.period);
  return __builtin_mul_overflow(from.period, factor, &period) ? from.extent
                                                              : std::min(period, from.extent);
}

// Each piece takes memory, on every rank.
constexpr std::int64_t kMostPieces = std::int64_t{1} << 24;

void check_pieces(const AxisPlacement& from, const AxisPlacement& to, std::int64_t period) {
  const auto intervals = [&](const AxisPlacement& axis) {
    return static_cast<double>(axis.intervals.size()) * static_cast<double>(period) /
           static_cast<double>(axis.period);
  };
  if (intervals(from) + intervals(to) > static_cast<double>(kMostPieces))
    throw Error(ErrorKind::invalid,
                "two placements cut an axis of " + std::to_string(from.extent) +
                    " indices into more than 2^24 pieces before these repeat, which take too much "
                    "memory: use longer blocks, or blocks and parts with a common multiple");
}

std::int64_t length_of(const PieceGroup& group) {
  const Piece &first = group.pieces.front(), &last = group.pieces.back();
  return last.packed + last.extent - first.packed;
}

// The part of one repeat that lies in `begin` to `end`, counted from the repeat's begin.
PieceGroup cut(const PieceGroup& group, std::int64_t repeat, std::int64_t begin, std::int64_t end) {
  PieceGroup part;
  const std::int64_t first = group.pieces.front().packed;
  for (Piece piece : group.pieces) {
    const std::int64_t low = std::max(begin, piece.packed - first);
    const std::int64_t high = std::min(end, piece.packed - first + piece.extent);
    if (low >= high) continue;
    const std::int64_t skipped = low - (piece.packed - first);
    part.pieces.push_back({high - low, piece.from + skipped + repeat * group.from_step,
                           piece.to + skipped + repeat * group.to_step,
                           piece.packed + skipped + repeat * group.packed_step});
  }
  return part;
}

}  // namespace

SharedIndices clipped(const SharedIndices& whole, std::int64_t begin, std::int64_t end) {
  SharedIndices result{end - begin, {}};
  const auto add = [&](PieceGroup group) {
    for (Piece& piece : group.pieces) piece.packed -= begin;
    if (!group.pieces.empty()) result.groups.push_back(std::move(group));
  };
  for (const PieceGroup& group : whole.groups) {
    const std::int64_t first = group.pieces.front().packed, length = length_of(group);
    const std::int64_t low = std::max(begin - first, std::int64_t{0});
    const std::int64_t high = std::min(end - first, length * group.repeats);
    if (low >= high) continue;
    std::int64_t repeat = low / length;
    if (low % length != 0) {
      add(cut(group, repeat, low % length, std::min(length, high - repeat * length)));
      ++repeat;
    }
    if (const std::int64_t last = high / length; last > repeat) {
      PieceGroup inner = cut(group, repeat, 0, length);
      inner.repeats = last - repeat;
      inner.from_step = group.from_step;
      inner.to_step = group.to_step;
      inner.packed_step = group.packed_step;
      add(std::move(inner));
      repeat = last;
    }
    if (high > repeat * length) add(cut(group, repeat, 0, high - repeat * length));
  }
  return result;
}

// Collects the pieces of a range of indices as one more group of every two parts.
class AxisOverlap::Walk {
 public:
  Walk(AxisOverlap& overlap, const AxisPlacement& from, const AxisPlacement& to)
      : overlap_(overlap), from_(from), to_(to) {}

  void over(std::int64_t begin, std::int64_t end, std::int64_t period, std::int64_t repeats);

 private:
  void add(const AxisIndex::Spot& from, const AxisIndex::Spot& to, std::int64_t extent);

  AxisOverlap& overlap_;
  AxisIndex from_, to_;
  std::map<std::pair<std::int64_t, std::int64_t>, PieceGroup> groups_;
};

void AxisOverlap::Walk::add(const AxisIndex::Spot& from, const AxisIndex::Spot& to,
                            std::int64_t extent) {
  const std::pair parts(from.part, to.part);
  std::vector<Piece>& pieces = groups_[parts].pieces;
  if (pieces.empty()) {
    const auto before = overlap_.shared_.find(parts);
    pieces.push_back({extent, from.local, to.local,
                      before == overlap_.shared_.end() ? 0 : before->second.extent});
    return;
  }
  Piece& last = pieces.back();
  if (last.from + last.extent == from.local && last.to + last.extent == to.local)
    last.extent += extent;
  else
    pieces.push_back({extent, from.local, to.local, last.packed + last.extent});
}

void AxisOverlap::Walk::over(std::int64_t begin, std::int64_t end, std::int64_t period,
                             std::int64_t repeats) {
  while (begin < end) {
    const AxisIndex::Spot from = from_.at(begin), to = to_.at(begin);
    const std::int64_t next = std::min({from.end, to.end, end});
    add(from, to, next - begin);
    begin = next;
  }
  for (auto& [parts, group] : groups_) {
    group.repeats = repeats;
    if (repeats > 1) {
      group.from_step = from_.among(parts.first, period);
      group.to_step = to_.among(parts.second, period);
      group.packed_step = length_of(group);
    }
    SharedIndices& shared = overlap_.shared_[parts];
    shared.extent += length_of(group) * repeats;
    shared.groups.push_back(std::move(group));
  }
  groups_.clear();
}

AxisOverlap::AxisOverlap(const AxisPlacement& from, const AxisPlacement& to)
    : to_parts_(static_cast<std::size_t>(from.parts)),
      from_parts_(static_cast<std::size_t>(to.parts)) {
  if (from.extent == 0) return;
  const std::int64_t period = common_period(from, to), repeats = from.extent / period;
  check_pieces(from, to, period);
  Walk walk(*this, from, to);
  walk.over(0, period, period, repeats);
  walk.over(period * repeats, from.extent, period, 1);
  for (const auto& [parts, shared] : shared_) {
    to_parts_[static_cast<std::size_t>(parts.first)].push_back(parts.second);
    from_parts_[static_cast<std::size_t>(parts.second)].push_back(parts.first);
  }
}

const SharedIndices& AxisOverlap::shared(std::int64_t from_part, std::int64_t to_part) const {
  static const SharedIndices nothing;
  const auto found = shared_.find({from_part, to_part});
  return found == shared_.end() ? nothing : found->second;
}

}  // namespace xpose
