#include "exchange/message_kinds.hpp"

#include <algorithm>

namespace xpose {
namespace {

RunCount counted(const SharedIndices& shared, Place in, Place out) {
  RunCount count;
  for (const AxisRun& run : runs(shared, in, out)) {
    ++count.problems;
    const bool goes_on =
        run.count == 1 && run.in_period == run.extent && run.out_period == run.extent;
    count.pieces += goes_on ? 1 : run.count * run.repeats;
  }
  return count;
}

AxisKind kind_of(const SharedIndices& shared) {
  return {shared.extent, counted(shared, Place::from, Place::packed),
          counted(shared, Place::packed, Place::to), counted(shared, Place::from, Place::to)};
}

void count_one(std::vector<AxisKinds::Number>& numbers, std::size_t kind) {
  const auto found = std::ranges::find(numbers, kind, &AxisKinds::Number::kind);
  if (found == numbers.end())
    numbers.push_back({kind, 1});
  else
    ++found->number;
}

}  // namespace

AxisKinds::AxisKinds(const AxisOverlap& overlap)
    : overlap_(overlap),
      pairs_(overlap.from_part_count()),
      of_from_(overlap.from_part_count()),
      of_to_(overlap.to_part_count()) {
  std::map<AxisKind, std::size_t> known;
  for (std::size_t from = 0; from < pairs_.size(); ++from)
    for (const std::int64_t to : overlap.to_parts(static_cast<std::int64_t>(from))) {
      const AxisKind kind = kind_of(overlap.shared(static_cast<std::int64_t>(from), to));
      const auto [place, is_new] = known.emplace(kind, kinds_.size());
      if (is_new) kinds_.push_back(kind);
      pairs_[from].push_back(place->second);
      count_one(of_from_[from], place->second);
      count_one(of_to_[static_cast<std::size_t>(to)], place->second);
    }
}

std::optional<std::size_t> AxisKinds::between(std::int64_t from, std::int64_t to) const {
  const std::vector<std::int64_t>& parts = overlap_.to_parts(from);
  const auto found = std::ranges::lower_bound(parts, to);
  if (found == parts.end() || *found != to) return std::nullopt;
  return pairs_[static_cast<std::size_t>(from)][static_cast<std::size_t>(found - parts.begin())];
}

MessageKinds::MessageKinds(const Exchange& exchange, int ranks_per_host)
    : exchange_(exchange),
      ranks_per_host_(ranks_per_host),
      rows_(exchange.overlap(0)),
      cols_(exchange.overlap(1)) {}

std::optional<std::size_t> MessageKinds::between(const std::optional<Cell>& from,
                                                 const std::optional<Cell>& to) const {
  if (!from || !to) return std::nullopt;
  const auto rows = rows_.between(from->rows, to->rows);
  const auto cols = cols_.between(from->cols, to->cols);
  return rows && cols ? std::optional(kind_of(*rows, *cols)) : std::nullopt;
}

// All products of the axes' kinds, less the rank's own elements; of them those with ranks of the
// own host, which are looked at one by one.
std::vector<MessageKinds::Number> MessageKinds::numbers(int rank, const Cell& cell,
                                                        bool is_sent) const {
  std::map<std::size_t, Number> all;
  for (const auto& row : is_sent ? rows_.of_from(cell.rows) : rows_.of_to(cell.rows))
    for (const auto& col : is_sent ? cols_.of_from(cell.cols) : cols_.of_to(cell.cols)) {
      const std::size_t kind = kind_of(row.kind, col.kind);
      all[kind] = {kind, 0, row.number * col.number};
    }
  if (const auto own = kept(rank)) --all[*own].between;
  const int first = rank / ranks_per_host_ * ranks_per_host_;
  for (int other = first; other - first < ranks_per_host_ && other < exchange_.ranks(); ++other) {
    const auto kind = other == rank ? std::nullopt
                      : is_sent     ? between(cell, exchange_.to_cell(other))
                                    : between(exchange_.from_cell(other), cell);
    if (!kind) continue;
    ++all[*kind].inside;
    --all[*kind].between;
  }
  std::vector<Number> found;
  for (const auto& [kind, number] : all)
    if (number.inside + number.between > 0) found.push_back(number);
  return found;
}

std::vector<MessageKinds::Number> MessageKinds::sends(int rank) const {
  const std::optional<Cell> cell = exchange_.from_cell(rank);
  return cell ? numbers(rank, *cell, true) : std::vector<Number>{};
}

std::vector<MessageKinds::Number> MessageKinds::receives(int rank) const {
  const std::optional<Cell> cell = exchange_.to_cell(rank);
  return cell ? numbers(rank, *cell, false) : std::vector<Number>{};
}

std::optional<std::size_t> MessageKinds::kept(int rank) const {
  return between(exchange_.from_cell(rank), exchange_.to_cell(rank));
}

MessageKind MessageKinds::at(std::size_t kind) const {
  const std::array axes = {&rows_.at(kind / cols_.count()), &cols_.at(kind % cols_.count())};
  const auto to_fast = static_cast<std::size_t>(exchange_.to_fast());
  const AxisKind &along = *axes[to_fast], &across = *axes[1 - to_fast];
  const AxisKind& read = *axes[static_cast<std::size_t>(exchange_.from_fast())];
  const auto run = [](const AxisKind& axis, const RunCount& count) {
    return std::max<std::int64_t>(axis.extent / std::max<std::int64_t>(count.pieces, 1), 1);
  };
  return {along.extent,
          across.extent,
          run(read, read.packing),
          run(along, along.unpacking),
          {along.packing.problems, across.packing.problems},
          {along.unpacking.problems, across.unpacking.problems},
          {along.moving.problems, across.moving.problems}};
}

}  // namespace xpose
