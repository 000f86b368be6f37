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

// Each kind once.
std::vector<KindNumber> joined(std::vector<KindNumber> numbers) {
  std::ranges::sort(numbers, {}, &KindNumber::kind);
  std::vector<KindNumber> all;
  for (const KindNumber& next : numbers)
    if (!all.empty() && all.back().kind == next.kind)
      all.back().number += next.number;
    else
      all.push_back(next);
  return all;
}

// Of the parts that share indices with one part, those from `begin` to `end`.
std::vector<KindNumber> within(const PartKinds& kinds, const std::vector<std::int64_t>& parts,
                               std::int64_t begin, std::int64_t end) {
  const auto place = [&](std::int64_t part) {
    return static_cast<std::size_t>(std::ranges::lower_bound(parts, part) - parts.begin());
  };
  return kinds.between(place(begin), place(end));
}

}  // namespace

void PartKinds::add(std::size_t kind) {
  if (runs_.empty() || runs_.back().kind != kind) runs_.push_back({size_, kind});
  ++size_;
}

std::vector<PartKinds::Run>::const_iterator PartKinds::run_of(std::size_t place) const {
  return std::ranges::upper_bound(runs_, place, {}, &Run::begin) - 1;
}

std::size_t PartKinds::at(std::size_t place) const { return run_of(place)->kind; }

std::vector<KindNumber> PartKinds::between(std::size_t begin, std::size_t end) const {
  std::vector<KindNumber> numbers;
  if (begin >= end) return numbers;
  for (auto run = run_of(begin); run != runs_.end() && run->begin < end; ++run) {
    const std::size_t next = run + 1 == runs_.end() ? size_ : (run + 1)->begin;
    numbers.push_back(
        {run->kind, static_cast<std::int64_t>(std::min(next, end) - std::max(run->begin, begin))});
  }
  return numbers;
}

AxisKinds::AxisKinds(const AxisOverlap& overlap)
    : overlap_(overlap), from_(overlap.from_part_count()), to_(overlap.to_part_count()) {
  std::map<AxisKind, std::size_t> known;
  for (std::size_t from = 0; from < from_.size(); ++from)
    for (const std::int64_t to : overlap.to_parts(static_cast<std::int64_t>(from))) {
      const AxisKind kind = kind_of(overlap.shared(static_cast<std::int64_t>(from), to));
      const auto [place, is_new] = known.emplace(kind, kinds_.size());
      if (is_new) kinds_.push_back(kind);
      from_[from].add(place->second);
      to_[static_cast<std::size_t>(to)].add(place->second);
    }
  for (const PartKinds& part : from_) of_from_.push_back(joined(part.between(0, part.size())));
  for (const PartKinds& part : to_) of_to_.push_back(joined(part.between(0, part.size())));
}

std::vector<KindNumber> AxisKinds::of_from(std::int64_t part, std::int64_t begin,
                                           std::int64_t end) const {
  if (begin == 0 && end == static_cast<std::int64_t>(to_.size())) return of_from(part);
  return within(from_[static_cast<std::size_t>(part)], overlap_.to_parts(part), begin, end);
}

std::vector<KindNumber> AxisKinds::of_to(std::int64_t part, std::int64_t begin,
                                         std::int64_t end) const {
  if (begin == 0 && end == static_cast<std::int64_t>(from_.size())) return of_to(part);
  return within(to_[static_cast<std::size_t>(part)], overlap_.from_parts(part), begin, end);
}

std::optional<std::size_t> AxisKinds::between(std::int64_t from, std::int64_t to) const {
  const std::vector<std::int64_t>& parts = overlap_.to_parts(from);
  const auto found = std::ranges::lower_bound(parts, to);
  if (found == parts.end() || *found != to) return std::nullopt;
  return from_[static_cast<std::size_t>(from)].at(static_cast<std::size_t>(found - parts.begin()));
}

MessageKinds::MessageKinds(const Exchange& exchange)
    : exchange_(exchange), rows_(exchange.overlap(0)), cols_(exchange.overlap(1)) {}

MessageKinds::Host MessageKinds::host(int first, int end) const {
  std::vector<Cell> from, to;
  for (int rank = first; rank < end; ++rank) {
    if (const auto cell = exchange_.from_cell(rank)) from.push_back(*cell);
    if (const auto cell = exchange_.to_cell(rank)) to.push_back(*cell);
  }
  return {boxes_of(std::move(from)), boxes_of(std::move(to))};
}

void MessageKinds::add_inside(Counts& all, const Cell& cell, const CellBox& box,
                              bool is_sent) const {
  const auto& [begin, end] = box;
  const std::vector<KindNumber> rows = is_sent ? rows_.of_from(cell.rows, begin.rows, end.rows)
                                               : rows_.of_to(cell.rows, begin.rows, end.rows);
  if (rows.empty()) return;
  const std::vector<KindNumber> cols = is_sent ? cols_.of_from(cell.cols, begin.cols, end.cols)
                                               : cols_.of_to(cell.cols, begin.cols, end.cols);
  for (const KindNumber& row : rows)
    for (const KindNumber& col : cols) {
      Number& number = all[kind_of(row.kind, col.kind)];
      number.inside += row.number * col.number;
      number.between -= row.number * col.number;
    }
}

// All products of the axes' kinds, and those with cells of the own host; less the rank's own
// elements, which are among both.
std::vector<MessageKinds::Number> MessageKinds::numbers(int rank, const Cell& cell,
                                                        const Host& host, bool is_sent) const {
  Counts all;
  for (const auto& row : is_sent ? rows_.of_from(cell.rows) : rows_.of_to(cell.rows))
    for (const auto& col : is_sent ? cols_.of_from(cell.cols) : cols_.of_to(cell.cols)) {
      const std::size_t kind = kind_of(row.kind, col.kind);
      all[kind] = {kind, 0, row.number * col.number};
    }
  for (const CellBox& box : is_sent ? host.to : host.from) add_inside(all, cell, box, is_sent);
  if (const auto own = kept(rank)) --all[*own].inside;
  std::vector<Number> found;
  for (const auto& [kind, number] : all)
    if (number.inside + number.between > 0) found.push_back(number);
  return found;
}

std::vector<MessageKinds::Number> MessageKinds::sends(int rank, const Host& host) const {
  const std::optional<Cell> cell = exchange_.from_cell(rank);
  return cell ? numbers(rank, *cell, host, true) : std::vector<Number>{};
}

std::vector<MessageKinds::Number> MessageKinds::receives(int rank, const Host& host) const {
  const std::optional<Cell> cell = exchange_.to_cell(rank);
  return cell ? numbers(rank, *cell, host, false) : std::vector<Number>{};
}

std::optional<std::size_t> MessageKinds::kept(int rank) const {
  const std::optional<Cell> from = exchange_.from_cell(rank), to = exchange_.to_cell(rank);
  if (!from || !to) return std::nullopt;
  const auto rows = rows_.between(from->rows, to->rows);
  const auto cols = cols_.between(from->cols, to->cols);
  return rows && cols ? std::optional(kind_of(*rows, *cols)) : std::nullopt;
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
