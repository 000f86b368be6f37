// Results of `xpose bench` for the tests of its documents.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_run.hpp"

namespace xpose::app {

inline const Device kHost;

inline Cell cell(const std::string& name) {
  for (const Cell& found : standard_table(DeviceKind::host))
    if (found.name == name) return found;
  throw std::out_of_range(name);
}

inline Trial trial(const std::string& strategy, double seconds, Role role = Role::transpose) {
  Trial made;
  made.variant = {strategy, {{"tile", 32}}};
  made.launch = "one, \"two\"";
  made.role = role;
  made.timing = Timing{seconds, 0.01, 15};
  return made;
}

inline Trial without_time(const std::string& strategy, Verdict verdict, const std::string& detail) {
  Trial made;
  made.variant = {strategy, {}};
  made.verdict = verdict;
  made.detail = detail;
  return made;
}

// A copy, a winner at four fifths of it, an estimate at 64 % of the winner, a peer in two variants,
// and one that is wrong.
inline TuneReport report() {
  TuneReport made;
  made.bytes = 1000;
  made.seconds = 1.5;
  made.untried = 3;
  made.trials = {trial("copy_stream", 0.004, Role::copy),
                 trial("mine", 0.005),
                 trial("guess", 0.0078125),
                 trial("eigen_transpose", 0.008),
                 trial("eigen_transpose", 0.009),
                 without_time("openblas_omatcopy", Verdict::wrong_result, "out[0,1]")};
  made.roof = 0;
  made.winner = 1;
  made.estimate = 2;
  return made;
}

inline BenchRun run_of(std::vector<CellResult> results) {
  BenchRun run;
  run.setup.budget_seconds = 0.25;
  run.setup.devices = {{kHost, "some processor", "host", "", 2, 0, 1 << 25, 1 << 30}};
  run.setup.plugins = {{"host_naive", "0123"}};
  run.cells = results.size();
  run.results = std::move(results);
  return run;
}

}  // namespace xpose::app
