#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/interrupts.hpp"
#include "options/problem_options.hpp"
#include "output/json.hpp"
#include "output/progress_line.hpp"
#include "output/result_output.hpp"
#include "output/screen.hpp"
#include "output/tune_table.hpp"
#include "report/report.hpp"
#include "report/size_sweep.hpp"
#include "report/tune_accounts.hpp"

namespace xpose::app {
namespace {

po::options_description tune_options() {
  po::options_description options;
  add_problem_options(options);
  options.add_options()("device", po::value<std::string>()->default_value("auto")->value_name("D"),
                        "auto, host, cuda or cuda:N")(
      "budget", po::value<std::string>()->default_value("2")->value_name("S"),
      "seconds to spend; a trial in progress may end later")("warm", "keep the caches warm")(
      "all", "list every variant, and every strategy that does not serve the problem")(
      "json", po::value<std::string>()->default_value("")->value_name("FILE|-"),
      "write the report as JSON")("report",
                                  po::value<std::string>()->default_value("")->value_name("FILE|-"),
                                  "write the report as one HTML page; measures the fastest "
                                  "strategies at other sizes too, for at "
                                  "most about 3 seconds more");
  add_variant_option(
      options,
      "try only this strategy; in braces, only its configs with these values; may be "
      "repeated");
  add_engine_options(options);
  return options;
}

bool is_refused(const PluginInfo& plugin) { return !plugin.refused.empty(); }

DeviceInfo info_of(Device device) {
  DeviceInfo found{};
  for (const DeviceInfo& info : devices())
    if (info.device == device) found = info;
  return found;
}

// Of the caller's problem, and of that which the strategies met, where it is another.
void print_problem(const std::string& stated, const TuneReport& report) {
  const auto say_line = [](const std::string& text) {
    std::cout << wrapped_text(text, screen_of(STDOUT_FILENO).width) << '\n';
  };
  say_line(stated);
  const std::string met = to_string(report.problem);
  if (report.bytes != 0 && stated.find(met) == std::string::npos)
    say_line("The strategies meet it as " + met + '.');
}

void write_page(ResultOutput& page, Engine& engine, const TuneReport& report,
                const TuneOptions& tune, const std::string& stated) {
  const DeviceInfo device = info_of(report.problem.device);
  std::vector<TuneReport> sizes;
  {
    ProgressLine line("other sizes: ");
    TuneOptions options = tune;
    options.progress = [&](const Progress& progress) { line.show(progress); };
    sizes = sweep_sizes(engine, report, device, options);
  }
  page.write(tune_report(report, device, sizes, account_variants(engine, report), stated));
}

}  // namespace

int tune(const Arguments& arguments) {
  const auto values = parse(
      "tune --shape RxC",
      "Tries every strategy on a problem, verifies each against Eigen, times them against the "
      "fastest copy of the same bytes, and names the winner. A variant with a prediction of more "
      "than "
      "twice the best time is tried only while the budget lasts. --strategy tries it regardless.",
      tune_options(), {}, arguments);
  if (!values) return done;
  JsonOutput json(output_name(*values, "json"));
  ResultOutput page("--report", output_name(*values, "report"));
  ResultOutput::check_apart(json.output(), page);
  const Problem problem = problem_of(*values, parse_device((*values)["device"].as<std::string>()));
  Engine engine(engine_options(*values));

  TuneOptions options;
  options.budget_seconds = seconds_of(*values, "budget");
  options.every_strategy = true;
  options.warm = values->count("warm") != 0;
  options.variants = variants_of(*values);
  options.interrupted = Interrupts::met;

  for (const PluginInfo& plugin : engine.plugins())
    if (is_refused(plugin)) say("refused " + plugin.refused);
  const Interrupts interrupts;
  TuneReport report;
  {
    ProgressLine line;
    options.progress = [&](const Progress& progress) { line.show(progress); };
    report = engine.tune(problem, options);
  }

  const std::string stated = stated_problem(*values, problem);
  json.write(to_json(report));
  if (!json.is_stdout() && !page.is_stdout()) {
    print_problem(stated, report);
    if (report.bytes == 0)
      std::cout << sentence(report) << '\n';
    else
      print_report(std::cout, report, engine.plugins(), values->count("all") != 0,
                   screen_of(STDOUT_FILENO));
  }
  if (page.is_wanted()) write_page(page, engine, report, options, stated);
  if (Interrupts::met()) return Interrupts::kExitCode;
  if (report.winner || report.bytes == 0) return done;
  for (const Trial& trial : report.trials)
    if (trial.role == Role::transpose && trial.verdict != Verdict::ok &&
        trial.verdict != Verdict::unsupported)
      return not_verified;
  if (std::ranges::all_of(engine.plugins(), is_refused))  // with the reasons above
    say("no plugin is loaded, so none offers a strategy for " + stated);
  else
    say("no eligible strategy for " + stated + "; `xpose plugins` lists the loaded ones");
  return no_strategy;
}

}  // namespace xpose::app
