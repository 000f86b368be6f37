// `xpose lab`: the experiments of the plugin cuda_lab, with the figures that theory expects.
#include <unistd.h>

#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "xpose/explain.hpp"

namespace xpose::app {
namespace {

// Wavefronts of shared memory, or requests of global memory, over the whole experiment.
struct Traffic {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  bool operator==(const Traffic&) const = default;
};

struct Experiment {
  const char* strategy;
  std::int64_t rows, cols;  // of floats read
  Traffic expected;
};

// Experiments that show one thing together.
struct Group {
  const char* title;
  bool global;  // counts requests of global memory instead of wavefronts of shared memory
  std::vector<Experiment> experiments;
  const char* lesson;
};

const std::array kGroups = {
    Group{
        "A square tile, 32 x 32 words, one block of 32 x 32 threads: wavefronts of shared memory",
        false,
        {{"square_row_row", 32, 32, {32, 32}},
         {"square_col_col", 32, 32, {1024, 1024}},
         {"square_row_col", 32, 32, {1024, 32}},
         {"square_row_col_dynamic", 32, 32, {1024, 32}},
         {"square_row_col_pad", 32, 32, {32, 32}},
         {"square_row_col_dynamic_pad", 32, 32, {32, 32}}},
        "The words of a column lie 32 words apart, all in one bank. They are served one by one: 32 "
        "wavefronts a warp. One word of padding a row moves each row by one bank."},
    Group{"A rectangular tile, 16 rows of 32 words, one block of 32 x 16 threads: wavefronts",
          false,
          {{"rectangle_row_row", 16, 32, {16, 16}},
           {"rectangle_col_col", 16, 32, {256, 256}},
           {"rectangle_row_col", 16, 32, {256, 16}},
           {"rectangle_row_col_dynamic", 16, 32, {256, 16}},
           {"rectangle_row_col_pad1", 16, 32, {32, 16}},
           {"rectangle_row_col_pad2", 16, 32, {16, 16}},
           {"rectangle_row_col_dynamic_pad2", 16, 32, {16, 16}}},
          "A warp reads two columns of 16 words. With one word of padding the second column needs "
          "15 banks of the first. With two words it falls between them."},
    Group{
        "256 threads turn 256 words around: wavefronts",
        false,
        {{"reversal", 1, 256, {8, 8}}, {"reversal_dynamic", 1, 256, {8, 8}}},
        "The order of banks among threads does not matter. Conflicts need two words of one bank."},
    Group{"32 threads, a record of 32 floats each: wavefronts",
          false,
          {{"record", 32, 32, {1024, 1024}}, {"record_pad", 32, 32, {32, 32}}},
          "A field lies a record apart in neighbouring records. A record of an odd number of words "
          "has no conflicts."},
    Group{"The product of two matrices, 128 x 128 floats each: requests of global memory",
          true,
          {{"product", 256, 128, {131072, 512}}, {"product_tiled", 256, 128, {4096, 512}}},
          "Each tile of 32 x 32 is read once by a block instead of once by each of its 32 rows: "
          "32 times fewer loads."},
};

Traffic traffic_of(const AccessTotals& totals, bool global) {
  return global ? Traffic{totals.load_requests, totals.store_requests}
                : Traffic{totals.load_wavefronts, totals.store_wavefronts};
}

std::string text(const Traffic& traffic) {
  return std::to_string(traffic.loads) + " / " + std::to_string(traffic.stores);
}

Json json_of(const Traffic& traffic) {
  return {{"loads", traffic.loads}, {"stores", traffic.stores}};
}

struct Outcome {
  Traffic simulated;
  std::optional<Traffic> hardware;
  double seconds = 0;  // on the device; 0: not measured
  std::string no_hardware;
};

Outcome perform(Engine& engine, const Experiment& experiment, bool global, bool measure) {
  const Problem problem =
      matrix(experiment.rows, experiment.cols, sizeof(float), Device{DeviceKind::cuda, 0});
  ExplainOptions options;
  options.measure = measure;
  const Explanation found = explain(engine, problem, {experiment.strategy}, options);
  if (!found.simulation)
    throw Error(ErrorKind::failed, "the lab has no simulator: " + found.no_simulation);
  for (const Finding& finding : found.simulation->findings)
    throw Error(ErrorKind::wrong, std::string(experiment.strategy) + ": " + finding.text);
  Outcome outcome;
  outcome.simulated = traffic_of(found.simulation->totals(), global);
  outcome.no_hardware = found.no_hardware;
  if (found.hardware) {
    outcome.hardware = traffic_of(found.hardware->totals, global);
    outcome.seconds = found.hardware->seconds;
  }
  return outcome;
}

}  // namespace

int lab(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("simulator-only", "leave the counters of a GPU out")(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the figures as JSON");
  const auto values = parse(
      "lab",
      "Runs small kernels that show the cost of memory accesses. Each line has the figures of "
      "theory, of the simulator and, on a machine with a GPU, of its counters. Figures are "
      "loads / stores of the whole launch.",
      options, {}, arguments);
  if (!values) return done;
  JsonOutput json(output_name(*values, "json"));
  EngineOptions engine_options;
  engine_options.plugin_folders = {installed_folder() / "lab"};
  engine_options.remember = false;
  Engine engine(engine_options);

  Json document = {{"schema", "xpose.lab/2"}, {"experiments", Json::array()}};
  const Screen screen = screen_of(STDOUT_FILENO);
  bool as_expected = true;
  std::string no_hardware;
  for (const Group& group : kGroups) {
    Table table({{"experiment", Table::left, Table::wrap},
                 {"expected", Table::right},
                 {"simulator", Table::right},
                 {"GPU", Table::right},
                 {"time", Table::right, Table::whole, 0, 1}});
    for (const Experiment& experiment : group.experiments) {
      const Outcome outcome =
          perform(engine, experiment, group.global, values->count("simulator-only") == 0);
      const bool same = outcome.simulated == experiment.expected;
      as_expected = as_expected && same;
      no_hardware = outcome.no_hardware;
      table.add({experiment.strategy, text(experiment.expected),
                 text(outcome.simulated) + (same ? "" : " (differs)"),
                 outcome.hardware ? text(*outcome.hardware) : "-",
                 outcome.seconds > 0 ? time_text(outcome.seconds) : "-"});
      Json entry = {{"experiment", experiment.strategy},
                    {"counts", group.global ? "global requests" : "shared wavefronts"},
                    {"expected", json_of(experiment.expected)},
                    {"simulator", json_of(outcome.simulated)}};
      if (outcome.hardware) entry["hardware"] = json_of(*outcome.hardware);
      if (outcome.seconds > 0) entry["seconds"] = outcome.seconds;
      document["experiments"].push_back(std::move(entry));
    }
    if (json.is_stdout()) continue;
    std::cout << wrapped_text(group.title, screen.width) << "\n\n";
    table.print(std::cout, screen);
    std::cout << '\n' << wrapped_text(group.lesson, screen.width) << "\n\n";
  }
  if (!json.is_stdout()) {
    if (!no_hardware.empty())
      std::cout << wrapped_text("GPU: " + no_hardware, screen.width) << '\n';
    std::cout << (as_expected ? "The simulator agrees with the theory everywhere.\n"
                              : "The simulator differs from the theory: see above.\n");
  }
  json.write(document);
  return as_expected ? done : not_verified;
}

}  // namespace xpose::app
