// Writes the reports of the fixture into a folder, for the browser: write_reports DIR.
#include <algorithm>
#include <fstream>
#include <iostream>

#include "fixture.hpp"
#include "output/explain_json.hpp"
#include "report/size_sweep.hpp"

namespace {

using namespace xpose;
using namespace xpose::app;

// A race that had time for one round, far above the roof.
TuneReport one_round() {
  TuneReport report = fixture::tune(4096);
  report.rounds = 1;
  report.discarded_rounds = 0;
  for (Trial& trial : report.trials) {
    if (!trial.timing) continue;
    trial.rounds = {trial.timing->median * (trial.role == Role::copy ? 100 : 1)};
    trial.timing = Timing{trial.rounds.front(), 0, 1};
  }
  return report;
}

// As sweep_sizes() has them: the copies and one variant of each of the fastest strategies.
std::vector<TuneReport> sizes() {
  std::vector<TuneReport> all = {fixture::tune(512), fixture::tune(1024), fixture::tune(2048),
                                 fixture::tune(8192)};
  const std::vector<Variant> followed = fastest_variants(fixture::tune(4096), 4);
  for (TuneReport& size : all)
    std::erase_if(size.trials, [&](const Trial& trial) {
      return trial.role != Role::copy && std::ranges::count(followed, trial.variant) == 0;
    });
  return all;
}

DeviceInfo device() {
  DeviceInfo info{};
  info.device = {DeviceKind::cuda, 0};
  info.name = "NVIDIA GPU";
  info.multiprocessors = 132;
  info.compute_capability = 90;
  info.cache_bytes = 60ULL << 20;
  info.memory_bytes = 141ULL << 30;
  return info;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + '/';
  TuneReport report = fixture::tune(4096);
  report.trials[*report.roof].timing->spread = 1.6;  // its line ends at the figures beside the bars
  const std::vector<VariantAccount> accounts = {
      {report.trials[2].variant, report.problem, fixture::tile_account(33)},
      {report.trials[5].variant, report.problem, fixture::tile_account(32)},
      {report.trials[7].variant, report.problem, fixture::naive_account()}};
  Explanation blind = fixture::explanation(false);
  blind.simulation.reset();
  blind.no_simulation = "it uses bulk tensor copies, which the simulator cannot run";
  const std::pair<const char*, std::string> files[] = {
      {"tune.html", tune_report(report, device(), sizes(), accounts, to_string(report.problem))},
      {"tune_one_round.html",
       tune_report(one_round(), device(), {}, {}, to_string(report.problem))},
      {"tune_bare.html", tune_report(TuneReport{}, device(), {}, {}, to_string(Problem{}))},
      {"tune.json", text_of(to_json(report))},
      {"explain.html", explain_report(fixture::explanation(true))},
      {"explain_simulator.html", explain_report(fixture::explanation(false))},
      {"explain_blind.html", explain_report(blind)},
      {"explain.json", text_of(to_json(fixture::explanation(true)))}};
  for (const auto& [name, text] : files)
    if (!(std::ofstream(folder + name) << text)) {
      std::cerr << folder << name << " cannot be written\n";
      return 1;
    }
  return 0;
}
