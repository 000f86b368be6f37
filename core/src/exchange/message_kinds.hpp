// The messages of an exchange by kinds. Thousands of ranks exchange millions of messages, but of
// few kinds, because each axis has few: those of two axes are multiplied, and no pair of ranks is
// looked at but those of one host.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "exchange/exchange.hpp"

namespace xpose {

// The runs of an axis' shared indices that are moved from one place to another.
struct RunCount {
  std::int64_t problems = 0;  // runs that need a problem of their own
  std::int64_t pieces = 0;    // indices that lie side by side at both places
  bool operator==(const RunCount&) const = default;
  bool operator<(const RunCount& other) const {
    return std::tie(problems, pieces) < std::tie(other.problems, other.pieces);
  }
};

// The shared indices of two parts of one axis, without their places.
struct AxisKind {
  std::int64_t extent = 0;
  RunCount packing, unpacking, moving;
  bool operator==(const AxisKind&) const = default;
  bool operator<(const AxisKind& other) const {
    return std::tie(extent, packing, unpacking, moving) <
           std::tie(other.extent, other.packing, other.unpacking, other.moving);
  }
};

// The kinds of one axis, by parts.
class AxisKinds {
 public:
  struct Number {
    std::size_t kind;
    std::int64_t number;  // of the other placement's parts
  };

  explicit AxisKinds(const AxisOverlap& overlap);

  const AxisKind& at(std::size_t kind) const { return kinds_[kind]; }
  std::size_t count() const { return kinds_.size(); }
  const std::vector<Number>& of_from(std::int64_t part) const {
    return of_from_[static_cast<std::size_t>(part)];
  }
  const std::vector<Number>& of_to(std::int64_t part) const {
    return of_to_[static_cast<std::size_t>(part)];
  }
  // Of two parts; nothing where they share no index.
  std::optional<std::size_t> between(std::int64_t from, std::int64_t to) const;

 private:
  const AxisOverlap& overlap_;
  std::vector<AxisKind> kinds_;
  std::vector<std::vector<std::size_t>> pairs_;  // by parts of the source, as overlap.to_parts()
  std::vector<std::vector<Number>> of_from_, of_to_;
};

// Messages of one kind, in elements.
struct MessageKind {
  std::int64_t line = 0;   // elements that follow each other in a line of the target
  std::int64_t lines = 0;  // of them
  // Elements that lie side by side in the array of the source, and in that of the target.
  std::int64_t from_run = 0, to_run = 0;
  struct Problems {  // of the whole message: along its lines, and across them
    std::int64_t along = 1, across = 1;
  };
  Problems packing, unpacking, moving;
};

class MessageKinds {
 public:
  // Ranks 0 to `ranks_per_host` - 1 are on one host, and so on.
  MessageKinds(const Exchange& exchange, int ranks_per_host);

  struct Number {
    std::size_t kind;
    std::int64_t inside, between;  // messages within the own host, and with ranks of other hosts
  };
  std::vector<Number> sends(int rank) const;
  std::vector<Number> receives(int rank) const;
  std::optional<std::size_t> kept(int rank) const;

  MessageKind at(std::size_t kind) const;

 private:
  using Cell = Exchange::Cell;
  std::vector<Number> numbers(int rank, const Cell& cell, bool is_sent) const;
  std::optional<std::size_t> between(const std::optional<Cell>& from,
                                     const std::optional<Cell>& to) const;
  std::size_t kind_of(std::size_t rows, std::size_t cols) const {
    return rows * cols_.count() + cols;
  }

  const Exchange& exchange_;
  int ranks_per_host_;
  AxisKinds rows_, cols_;
};

}  // namespace xpose
