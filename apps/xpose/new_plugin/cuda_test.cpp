// The kernel of my_idea on the simulator, without a GPU: my_idea_test FOLDER_OF_THE_PLUGIN.
#include <cstdint>
#include <cstdio>
#include <xpose/explain.hpp>
#include <xpose/xpose.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  xpose::EngineOptions options;
  options.plugin_folders = {arguments[1]};  // this plugin alone
  options.remember = false;
  xpose::Engine engine(options);

  xpose::Problem problem =
      xpose::matrix(256, 512, sizeof(std::uint32_t), {xpose::DeviceKind::cuda, 0});
  problem.in_alignment = problem.out_alignment = 256;
  const xpose::Explanation told = explain(engine, problem, {"my_idea"}, {.measure = false});
  if (!told.simulation) {
    std::printf("no simulation: %s\n", told.no_simulation.c_str());
    return 1;
  }
  for (const xpose::Finding& finding : told.simulation->findings)
    std::printf("%s\n", to_string(finding).c_str());
  std::printf("%s\n", told.limiter.c_str());

  // Each sector is moved once, and no bank serves two lanes of a request.
  const xpose::AccessTotals totals = told.simulation->totals();
  const bool moves_once = totals.load_sectors == totals.ideal_load_sectors &&
                          totals.store_sectors == totals.ideal_store_sectors;
  const bool no_conflict = totals.load_wavefronts == totals.ideal_load_wavefronts &&
                           totals.store_wavefronts == totals.ideal_store_wavefronts;
  if (!moves_once) std::printf("sectors are moved more than once\n");
  if (!no_conflict) std::printf("banks of shared memory conflict\n");
  return told.simulation->findings.empty() && moves_once && no_conflict ? 0 : 1;
}
