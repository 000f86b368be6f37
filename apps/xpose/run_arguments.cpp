// The command line of `xpose run`.
#include "options.hpp"
#include "run.hpp"

namespace xpose::app {

int run(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("in", po::value<std::string>(), "the .npy file to read")(
      "out", po::value<std::string>(), "the .npy file to write; may be the same")(
      "device", po::value<std::string>()->default_value("auto")->value_name("D"),
      "auto, host, cuda or cuda:N")("strategy",
                                    po::value<std::string>()->default_value("")->value_name("NAME"),
                                    "use this strategy, with its default config")(
      "tune",
      "choose by trial, and remember it; else by what was measured before, or is known of "
      "the strategies")("budget", po::value<std::string>()->default_value("2")->value_name("S"),
                        "seconds that --tune may spend")("verbose,v", "say what was done");
  add_engine_options(options);
  const auto values =
      parse("run",
            "Writes the transpose of a two-dimensional NumPy array, in C order and of the "
            "same dtype. The output appears when it is complete, or not at all.",
            options, {"in", "out"}, arguments);
  if (!values) return done;
  RunOptions chosen;
  chosen.in = (*values)["in"].as<std::string>();
  chosen.out = (*values)["out"].as<std::string>();
  chosen.device = parse_device((*values)["device"].as<std::string>());
  chosen.strategy = (*values)["strategy"].as<std::string>();
  chosen.engine = engine_options(*values);
  const bool tunes = values->count("tune") != 0;
  if (tunes && !chosen.strategy.empty())
    throw UsageError("--strategy leaves nothing to --tune: give one of them");
  chosen.plan.policy = tunes ? Policy::measure : Policy::estimate;
  chosen.plan.tune.budget_seconds = seconds_of(*values, "budget");
  chosen.verbose = values->count("verbose") != 0;
  return run_command(chosen);
}

}  // namespace xpose::app
