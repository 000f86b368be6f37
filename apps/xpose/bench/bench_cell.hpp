// The result of one cell of the standard table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/standard_table.hpp"

namespace xpose::app {

// "tile" of "tile{row_bytes=256}".
std::string strategy_of(const std::string& variant);

struct TimedVariant {
  std::string variant;
  std::string launch;
  double seconds = 0;  // median of one call
  double spread = 0;   // (third quartile - first quartile) / median
  bool operator==(const TimedVariant&) const = default;
};

// The best variant of a peer: a strategy that calls another library's transpose.
struct PeerFigure {
  std::string variant;
  std::string verdict;  // "ok": it has a time
  double seconds = 0;
  bool has_time() const { return verdict == "ok"; }
  bool operator==(const PeerFigure&) const = default;
};

struct CellResult {
  Cell cell;
  Device device;
  std::uint64_t bytes = 0;  // read plus written by one call
  TimedVariant roof;        // the fastest copy of the same run
  TimedVariant winner;
  std::optional<TimedVariant> estimate;  // the choice without a trial; empty: it has no time
  std::vector<PeerFigure> peers;         // fastest first
  std::size_t untried = 0;               // variants the budget did not reach
  double seconds = 0;                    // spent
  std::string skipped;                   // why there is no winner or no roof, or empty
  bool wrong = false;                    // skipped because no strategy passed verification

  double share() const { return share_of(winner.seconds); }  // of the roof
  double share_of(double variant_seconds) const { return roof.seconds / variant_seconds; }
  // Of the winner's speed, where there is an estimate.
  double estimate_share() const { return winner.seconds / estimate->seconds; }
  double gb_per_s(double variant_seconds) const {
    return static_cast<double>(bytes) / variant_seconds * 1e-9;
  }
  // Of cells that have marks.
  bool reaches() const { return 100 * share() >= cell.reach; }
  bool aims() const { return 100 * share() >= cell.aim; }
  // The fastest peer with a time.
  const PeerFigure* best_peer() const;
};

// Strategies that call another library. They compete like any other; a table shows them beside the
// winner.
bool is_peer(std::string_view strategy);

// The outcome of one tune, which was not interrupted.
CellResult result_of(const Cell& cell, Device device, const TuneReport& report);

CellResult skipped_cell(const Cell& cell, Device device, const std::string& reason);

}  // namespace xpose::app
