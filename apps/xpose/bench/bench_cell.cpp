#include "bench/bench_cell.hpp"

#include <algorithm>
#include <array>

namespace xpose::app {
namespace {

constexpr std::array<std::string_view, 4> kPeers = {"cublas_geam", "cublaslt_transform",
                                                    "eigen_transpose", "openblas_omatcopy"};

TimedVariant timed(const Trial& trial) {
  return {to_string(trial.variant), trial.launch, trial.timing->median, trial.timing->spread};
}

// A wrong strategy is a better reason than one that does not serve the problem.
void explain(CellResult& result, const TuneReport& report) {
  result.skipped = "no loaded strategy serves the device";
  bool found = false;
  for (const Trial& trial : report.trials) {
    if (trial.role != Role::transpose || trial.verdict == Verdict::ok) continue;
    const bool wrong = trial.verdict != Verdict::unsupported;
    if (found && (result.wrong || !wrong)) continue;
    found = true;
    result.wrong = wrong;
    result.skipped = (wrong ? "no strategy was right: " : "no strategy serves it: ") +
                     to_string(trial.variant) + ' ' +
                     (wrong ? std::string(to_string(trial.verdict)) + ": " : "") + trial.detail;
  }
}

}  // namespace

bool is_peer(std::string_view strategy) { return std::ranges::count(kPeers, strategy) != 0; }

std::string strategy_of(const std::string& variant) { return variant.substr(0, variant.find('{')); }

const PeerFigure* CellResult::best_peer() const {
  const auto found = std::ranges::find_if(peers, &PeerFigure::has_time);
  return found == peers.end() ? nullptr : &*found;
}

CellResult result_of(const Cell& cell, Device device, const TuneReport& report) {
  CellResult result;
  result.cell = cell;
  result.device = device;
  result.bytes = report.bytes;
  result.untried = report.untried;
  result.seconds = report.seconds;
  std::vector<std::string_view> met;
  for (const Trial& trial : report.trials) {  // those with a time first, fastest first
    const std::string& strategy = trial.variant.strategy;
    if (!is_peer(strategy) || trial.verdict == Verdict::unsupported ||
        std::ranges::count(met, strategy) != 0)
      continue;
    met.push_back(strategy);
    result.peers.push_back({to_string(trial.variant), std::string(to_string(trial.verdict)),
                            trial.timing ? trial.timing->median : 0});
  }
  if (report.roof) result.roof = timed(report.trials[*report.roof]);
  if (report.winner) result.winner = timed(report.trials[*report.winner]);
  if (report.estimate && report.trials[*report.estimate].timing)
    result.estimate = timed(report.trials[*report.estimate]);
  if (!report.winner)
    explain(result, report);
  else if (!report.roof)
    result.skipped = "no copy could be timed, so there is no roof";
  return result;
}

CellResult skipped_cell(const Cell& cell, Device device, const std::string& reason) {
  CellResult result;
  result.cell = cell;
  result.device = device;
  result.skipped = reason;
  return result;
}

}  // namespace xpose::app
