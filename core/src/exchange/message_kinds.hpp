// The messages of an exchange by kinds. Thousands of ranks exchange millions of messages, but of
// few kinds, because each axis has few: those of two axes are multiplied, and no pair of ranks is
// looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "exchange/cell_boxes.hpp"
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

struct KindNumber {
  std::size_t kind;
  std::int64_t number;  // of parts of the other placement
};

// The kinds of one part with each part of the other placement with which it shares indices, in the
// order of those. Neighbours are mostly of one kind.
class PartKinds {
 public:
  void add(std::size_t kind);  // with the next part

  std::size_t at(std::size_t place) const;
  // Of places `begin` to `end`; a kind may come several times.
  std::vector<KindNumber> between(std::size_t begin, std::size_t end) const;
  std::size_t size() const { return size_; }

 private:
  struct Run {
    std::size_t begin, kind;
  };
  std::vector<Run>::const_iterator run_of(std::size_t place) const;

  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

// The kinds of one axis, by parts.
class AxisKinds {
 public:
  explicit AxisKinds(const AxisOverlap& overlap);

  const AxisKind& at(std::size_t kind) const { return kinds_[kind]; }
  std::size_t count() const { return kinds_.size(); }
  // Of a part of the source with all of the target's, each kind once, and the reverse.
  const std::vector<KindNumber>& of_from(std::int64_t part) const {
    return of_from_[static_cast<std::size_t>(part)];
  }
  const std::vector<KindNumber>& of_to(std::int64_t part) const {
    return of_to_[static_cast<std::size_t>(part)];
  }
  // Likewise with parts `begin` to `end` alone; a kind may come several times.
  std::vector<KindNumber> of_from(std::int64_t part, std::int64_t begin, std::int64_t end) const;
  std::vector<KindNumber> of_to(std::int64_t part, std::int64_t begin, std::int64_t end) const;
  // Of two parts; nothing where they share no index.
  std::optional<std::size_t> between(std::int64_t from, std::int64_t to) const;

 private:
  const AxisOverlap& overlap_;
  std::vector<AxisKind> kinds_;
  std::vector<PartKinds> from_, to_;  // by parts, as overlap.to_parts() and from_parts()
  std::vector<std::vector<KindNumber>> of_from_, of_to_;
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
  explicit MessageKinds(const Exchange& exchange);

  // The cells of ranks that share a host.
  struct Host {
    std::vector<CellBox> from, to;
  };
  Host host(int first, int end) const;

  struct Number {
    std::size_t kind;
    std::int64_t inside, between;  // messages within the own host, and with ranks of other hosts
  };
  // Of a rank of the host.
  std::vector<Number> sends(int rank, const Host& host) const;
  std::vector<Number> receives(int rank, const Host& host) const;
  std::optional<std::size_t> kept(int rank) const;

  MessageKind at(std::size_t kind) const;

 private:
  using Cell = Exchange::Cell;
  using Counts = std::map<std::size_t, Number>;
  void add_inside(Counts& all, const Cell& cell, const CellBox& box, bool is_sent) const;
  std::vector<Number> numbers(int rank, const Cell& cell, const Host& host, bool is_sent) const;
  std::size_t kind_of(std::size_t rows, std::size_t cols) const {
    return rows * cols_.count() + cols;
  }

  const Exchange& exchange_;
  AxisKinds rows_, cols_;
};

}  // namespace xpose
