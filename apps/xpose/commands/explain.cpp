#include "commands/explain.hpp"

#include <unistd.h>

#include <iostream>

#include "commands/commands.hpp"
#include "options/problem_options.hpp"
#include "output/explain_json.hpp"
#include "output/progress_line.hpp"
#include "output/result_output.hpp"
#include "report/report.hpp"

namespace xpose::app {
namespace {

// A CUDA device, of this machine or the simulator's where it has none.
Device explained_device(const std::string& text) {
  if (text == "host")
    throw UsageError("explain is for CUDA strategies: give --device cuda or cuda:N");
  if (cuda_unavailable_reason().empty()) return parse_device(text);
  if (text == "auto" || text == "cuda" || text == "cuda:0") return {DeviceKind::cuda, 0};
  return parse_device(text);
}

po::options_description explain_options() {
  po::options_description options;
  options.add_options()("strategy", po::value<std::string>()->value_name("S[{A=V,...}]"),
                        "the strategy, as `xpose plugins --all` lists it, with values of its axes; "
                        "the author's defaults for the rest");
  add_problem_options(options);
  options.add_options()(
      "device", po::value<std::string>()->default_value("auto")->value_name("D"),
      "auto, cuda or cuda:N; without a GPU, a simulated one of compute capability 9.0")(
      "simulator-only", "leave the device's counters out")(
      "json", po::value<std::string>()->default_value("")->value_name("FILE|-"),
      "write the explanation as JSON")(
      "report", po::value<std::string>()->default_value("")->value_name("FILE|-"),
      "write the explanation as one HTML page, with a picture of a warp's accesses");
  add_engine_options(options);
  return options;
}

}  // namespace

int explain(const Arguments& arguments) {
  const auto values = parse(
      "explain --shape RxC",
      "Names the limiter of a CUDA strategy. Its kernels run on a simulator of the device's "
      "memory, which counts every access by source line. On a machine with a GPU the "
      "hardware's counters stand beside the simulator. Exit code 3: the simulator found a fault in "
      "the kernels.",
      explain_options(), {"strategy"}, arguments);
  if (!values) return done;
  JsonOutput json(output_name(*values, "json"));
  ResultOutput page("--report", output_name(*values, "report"));
  ResultOutput::check_apart(json.output(), page);
  const Problem problem =
      problem_of(*values, explained_device((*values)["device"].as<std::string>()));
  Engine engine(engine_options(*values));

  const Variant variant = parse_variant((*values)["strategy"].as<std::string>());
  ExplainOptions options;
  options.measure = values->count("simulator-only") == 0;
  Explanation told;
  {
    ProgressLine line;
    options.progress = [&](double share) {
      line.show("simulator " + std::to_string(static_cast<int>(100 * share)) + " %");
    };
    told = xpose::explain(engine, problem, variant, options);
  }
  json.write(to_json(told));
  if (page.is_wanted()) page.write(explain_report(told));
  if (!json.is_stdout() && !page.is_stdout())
    print_explanation(std::cout, told, screen_of(STDOUT_FILENO));
  return told.simulation && !told.simulation->findings.empty() ? not_verified : done;
}

}  // namespace xpose::app
