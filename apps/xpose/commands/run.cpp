// The command line of `xpose run`.
#include "run/run.hpp"

#include <optional>

#include "commands/commands.hpp"
#include "forecast/run_forecast.hpp"
#include "options/problem_options.hpp"
#include "options/size_option.hpp"

namespace xpose::app {
namespace {

// Nothing for .npy files.
std::optional<NpyHeader> raw_of(const po::variables_map& values) try {
  const bool is_raw = values.count("raw") != 0;
  for (const char* const option : {"shape", "dtype"})
    if ((values.count(option) != 0) != is_raw)
      throw UsageError(is_raw ? "--raw needs --shape and --dtype: a raw file states neither"
                              : std::string("--") + option +
                                    " belongs to --raw: a .npy file states its own");
  if (!is_raw) return std::nullopt;
  return headerless(values["dtype"].as<std::string>(),
                    parse_shape(values["shape"].as<std::string>(), 1));
} catch (const NpyError& error) {
  throw UsageError("--dtype and --shape: " + std::string(error.what()));
}

// Of a raw file the command line states the shape as well.
AxisOrder order_of(const po::variables_map& values, const std::optional<NpyHeader>& raw) try {
  AxisOrder order = axis_order_of(values);
  if (raw) permuted(order, raw->shape);
  return order;
} catch (const AxisError& error) {
  throw UsageError(error.what());
}

Passes passes_of(const po::variables_map& values) {
  const std::string text = values["passes"].as<std::string>();
  if (text == "1") return Passes::one;
  if (text == "auto") return Passes::automatic;
  if (text != "2") throw UsageError("--passes is 1, 2 or auto, not '" + text + "'");
  return Passes::two;
}

Policy policy_of(const po::variables_map& values) {
  const bool tunes = values.count("tune") != 0;
  const auto imposed = imposed_policy();
  if (tunes && imposed && imposed != Policy::measure)
    throw UsageError(
        "--tune measures, but XPOSE_POLICY forbids it: leave --tune out, or unset "
        "XPOSE_POLICY");
  if (!tunes && imposed != Policy::measure && !values["budget"].defaulted())
    throw UsageError("--budget is what --tune may spend: give --tune, or leave --budget out");
  return tunes ? Policy::measure : Policy::estimate;
}

po::options_description run_options() {
  po::options_description options;
  options.add_options()("in", po::value<std::string>()->value_name("FILE"),
                        "the file or pipe to read, .npy unless --raw is given; -: standard input")(
      "out", po::value<std::string>()->value_name("FILE"),
      "the file or pipe to write, which may be the same file; -: standard output")(
      "device", po::value<std::string>()->default_value("auto")->value_name("D"),
      "auto (the host), host, cuda or cuda:N")(
      "tune",
      "measure the strategies and remember the decision; without this option an earlier decision "
      "or "
      "the prediction counts")("budget",
                               po::value<std::string>()->default_value("2")->value_name("S"),
                               "seconds that --tune may spend")(
      "memory", po::value<std::string>()->default_value("1G")->value_name("SIZE"),
      "most memory for tiles, such as 512M or 4GiB, at least 1M; the program itself needs about 50 "
      "MB "
      "besides")(
      "raw",
      "read and write elements alone, in C order, without a header; needs --shape and --dtype")(
      "shape", po::value<std::string>()->value_name("RxC"), "extents of a raw file's axes")(
      "dtype", po::value<std::string>()->value_name("T"),
      "type of a raw file's elements as NumPy writes it: '<f4', 'V12', or a list of fields")(
      "passes", po::value<std::string>()->default_value("auto")->value_name("N"),
      "1: each byte is read and written once; 2: twice, through a scratch file, in long runs; "
      "auto: "
      "2 where the pieces of one pass are too short for a disk")(
      "scratch", po::value<std::string>()->value_name("DIR"),
      "folder of the scratch file, which is as large as the output; without this option, that of "
      "the output")("resume",
                    "go on where a run with the same command was killed; without this option "
                    "nothing stays of it")("plan-only",
                                           "print passes, tiles and predicted seconds, and write "
                                           "no output; measures the disks for some seconds, once")(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "with --plan-only: write the figures as JSON")("verbose,v", "report each step");
  add_axis_options(options);
  add_variant_option(
      options,
      "use this strategy; in braces, only its configs with these values; of several, "
      "--tune or the prediction chooses, and the decision is not remembered");
  add_engine_options(options);
  return options;
}

}  // namespace

int run(const Arguments& arguments) {
  const auto values =
      parse("run",
            "Writes a NumPy array, or a raw one, with its axes in another order, reversed by "
            "default as by "
            "NumPy's .T: the transpose of a matrix. The output is in C order and of the same "
            "dtype. It appears when it is complete, or not at all.",
            run_options(), {"in", "out"}, arguments);
  if (!values) return done;
  RunOptions chosen;
  chosen.in = (*values)["in"].as<std::string>();
  chosen.out = (*values)["out"].as<std::string>();
  for (const auto& [path, name] :
       {std::pair{&chosen.in, "input"}, std::pair{&chosen.out, "output"}})
    if (path->empty()) throw UsageError(std::string("the name of the ") + name + " file is empty");
  // A file's bytes are on the host: to start CUDA and to take them there and back costs more.
  const std::string device = (*values)["device"].as<std::string>();
  chosen.how.device = device == "auto" ? Device{} : parse_device(device);
  chosen.how.engine = engine_options(*values);
  chosen.how.names_refused = values->count("plugins") != 0;
  chosen.how.plan.policy = policy_of(*values);
  chosen.how.plan.tune.variants = variants_of(*values);
  chosen.how.plan.tune.budget_seconds = seconds_of(*values, "budget");
  chosen.raw = raw_of(*values);
  chosen.order = order_of(*values, chosen.raw);
  chosen.memory = size_of(*values, "memory", kLeastRunMemory);
  chosen.passes = passes_of(*values);
  if (values->count("scratch") != 0) {
    chosen.scratch = (*values)["scratch"].as<std::string>();
    if (chosen.scratch.empty()) throw UsageError("the name of the scratch folder is empty");
  }
  if (!chosen.scratch.empty() && chosen.passes == Passes::one)
    throw UsageError("--scratch is the folder of two passes, and --passes 1 takes one");
  chosen.resume = values->count("resume") != 0;
  chosen.verbose = values->count("verbose") != 0;
  const bool is_planned = values->count("plan-only") != 0;
  const std::string json = output_name(*values, "json");
  if (!json.empty() && !is_planned) throw UsageError("--json has the figures of --plan-only");
  for (const char* const other : {"in", "out"}) check_apart(*values, "json", other);
  if (is_planned && chosen.resume)
    throw UsageError("--plan-only begins no run, and --resume goes on with one: leave one out");
  return is_planned ? forecast_command(chosen, json) : run_command(chosen);
}

}  // namespace xpose::app
