#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <random>

#include "bench/bench_outputs.hpp"
#include "bench/bench_table.hpp"
#include "bench/bench_work.hpp"
#include "commands/commands.hpp"
#include "commands/interrupts.hpp"
#include "commands/shell_command.hpp"
#include "output/progress_line.hpp"
#include "output/table.hpp"

namespace xpose::app {
namespace {

constexpr double kBudgetSeconds = 3;
constexpr double kQuickBudgetSeconds = 0.3;
constexpr double kQuickSeconds = 55;  // for all cells; starting, the last candidate and ending
                                      // take the rest of a minute

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

po::options_description bench_options() {
  po::options_description options;
  options.add_options()("device", po::value<std::string>()->default_value("")->value_name("D"),
                        "device to measure: host, cuda or cuda:N; every device by default")(
      "only", po::value<std::vector<std::string>>()->value_name("TEXT"),
      "only problems whose name contains the text; may be repeated")(
      "quick", "one problem of each kind, in less than 60 seconds in all")(
      "budget", po::value<std::string>()->value_name("S"),
      "seconds to spend on a problem (default 3, or 0.3 with --quick)")(
      "warm", "keep the caches warm for every problem")(
      "random", po::value<std::string>()->value_name("N"),
      "measure N random matrices and permutations instead of the table")(
      "seed", po::value<std::string>()->value_name("S"),
      "seed of --random, part of the problems' names (default: a new one each time)")(
      "most", po::value<std::string>()->default_value("1073741824")->value_name("BYTES"),
      "bytes of the largest random array");
  add_bench_outputs(options);
  options.add_options()("resume",
                        "keep the earlier results in the file of --json; they need the same setup");
  add_engine_options(options);
  return options;
}

std::vector<DeviceInfo> chosen_devices(const std::string& name) {
  std::vector<DeviceInfo> all = devices();
  if (name.empty()) return all;
  const Device wanted = parse_device(name);
  std::erase_if(all, [&](const DeviceInfo& info) { return info.device != wanted; });
  return all;
}

constexpr std::int64_t kMostRandom = 1000;       // what --resume reads
constexpr std::int64_t kMostSeed = 999'999'999;  // fits into a name

// The request of --random; a count of 0 where it was not given.
RandomDraw random_draw(const po::variables_map& values) {
  RandomDraw draw;
  draw.most_bytes = static_cast<std::uint64_t>(
      whole_number_of(values, "most", 2 * kLeastRandomBytes, std::int64_t{1} << 40));
  if (values.count("random") == 0) {
    if (values.count("seed") != 0 || !values["most"].defaulted())
      throw UsageError("--seed and --most need --random");
    return draw;
  }
  draw.count = static_cast<std::size_t>(whole_number_of(values, "random", 1, kMostRandom));
  draw.seed = values.count("seed") != 0
                  ? static_cast<std::uint64_t>(whole_number_of(values, "seed", 0, kMostSeed))
                  : std::random_device()() % kMostSeed;
  return draw;
}

// Engines by the threads that they give host strategies.
class Engines {
 public:
  explicit Engines(EngineOptions options) : options_(std::move(options)) {}
  Engine& with(unsigned threads) {
    auto& engine = engines_[threads];
    EngineOptions options = options_;
    options.threads = threads;
    if (engine == nullptr) engine = std::make_unique<Engine>(options);
    return *engine;
  }
  Engine& of(const Cell& cell) { return with(cell.threads != 0 ? cell.threads : options_.threads); }

 private:
  EngineOptions options_;
  std::map<unsigned, std::unique_ptr<Engine>> engines_;
};

class Bench {
 public:
  Bench(Engines& engines, BenchRun& run, Work work)
      : engines_(engines), run_(run), work_(std::move(work)) {}

  // Measures the cells that the run does not have, and calls saved() after each.
  template <class Saved>
  void measure_all(const Saved& saved);
  int exit_code() const;

 private:
  CellResult measure(Device device, const Cell& cell);
  bool out_of_time() const { return run_.setup.quick && seconds_since(start_) > kQuickSeconds; }
  std::string progress_text(const Cell& cell) const;
  bool is_there(Device device, const Cell& cell) const {
    return std::ranges::any_of(run_.results, [&](const CellResult& result) {
      return result.device == device && result.cell.name == cell.name;
    });
  }

  Engines& engines_;
  BenchRun& run_;
  Work work_;
  Clock::time_point start_ = Clock::now();
  std::size_t measured_ = 0;  // by this process
  bool failed_ = false;
  bool too_large_ = false;  // a cell, for the memory that is free
};

std::string Bench::progress_text(const Cell& cell) const {
  const double each = measured_ == 0 ? run_.setup.budget_seconds
                                     : seconds_since(start_) / static_cast<double>(measured_);
  const double left = each * static_cast<double>(run_.cells - run_.results.size());
  return std::to_string(run_.results.size() + 1) + '/' + std::to_string(run_.cells) + ", " +
         fixed(left, 0) + " s left, " + cell.name + ": ";
}

CellResult Bench::measure(Device device, const Cell& cell) {
  if (!cell.refused.empty()) return skipped_cell(cell, device, cell.refused);
  if (out_of_time()) return skipped_cell(cell, device, "the minute of --quick had passed");
  ProgressLine line(progress_text(cell));
  TuneOptions options;
  options.budget_seconds = run_.setup.budget_seconds;
  options.whole = true;
  options.every_strategy = !run_.setup.quick;
  options.warm = cell.warm;
  options.interrupted = [&] { return Interrupts::met() || out_of_time(); };
  options.progress = [&](const Progress& progress) { line.show(progress); };
  try {
    const TuneReport report = engines_.of(cell).tune(cell.problem, options);
    if (report.interrupted)
      return skipped_cell(cell, device, "the minute of --quick ended during its measurement");
    return result_of(cell, device, report);
  } catch (const Error& error) {
    too_large_ = too_large_ || error.kind() == ErrorKind::no_memory;
    failed_ =
        failed_ || (error.kind() != ErrorKind::no_memory && error.kind() != ErrorKind::invalid);
    return skipped_cell(cell, device, error.what());
  }
}

template <class Saved>
void Bench::measure_all(const Saved& saved) {
  for (const auto& [device, cell] : work_) {
    if (is_there(device, cell)) continue;
    CellResult result = measure(device, cell);
    run_.interrupted = Interrupts::met();
    if (run_.interrupted) return;  // a cell that was cut short is not comparable
    ++measured_;
    run_.results.push_back(std::move(result));
    run_.when = std::time(nullptr);
    saved();
  }
}

int Bench::exit_code() const {
  if (run_.interrupted) return Interrupts::kExitCode;
  if (failed_) return failed;
  if (std::ranges::any_of(run_.results, &CellResult::wrong)) return not_verified;
  const bool any = std::ranges::any_of(run_.results, [&](const CellResult& result) {
    return result.skipped.empty() && has_cell(work_, result);
  });
  if (any) return done;
  return too_large_ ? failed : no_strategy;
}

std::string command_text(const Arguments& arguments) {
  std::vector<std::string> words = {"xpose", "bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shell_command(words);
}

// The results that stay in the file of --json: all but those to try again.
void keep_results(BenchRun& run, const BenchFile& file, const Work& work, const Work& all) {
  run.results = kept_results(file, run.setup, all);
  std::erase_if(run.results, [&](const CellResult& result) {
    return !result.skipped.empty() && has_cell(work, result);
  });
  run.cells += static_cast<std::size_t>(std::ranges::count_if(
      run.results, [&](const CellResult& result) { return !has_cell(work, result); }));
}

BenchSetup setup_of(const po::variables_map& values) {
  BenchSetup setup;
  setup.quick = values.count("quick") != 0;
  setup.warm = values.count("warm") != 0;
  setup.budget_seconds = values.count("budget") != 0 ? seconds_of(values, "budget")
                         : setup.quick               ? kQuickBudgetSeconds
                                                     : kBudgetSeconds;
  setup.threads = threads_of(values);
  setup.devices = chosen_devices(values["device"].as<std::string>());
  return setup;
}

}  // namespace

int bench(const Arguments& arguments) {
  const auto values =
      parse("bench",
            "Measures the standard table of problems on every device. Each line compares the "
            "winner with the fastest copy of the same bytes in the same run, and with other "
            "libraries, and has the estimate: the choice without a trial.",
            bench_options(), {}, arguments);
  if (!values) return done;
  const auto only = values->count("only") == 0 ? std::vector<std::string>{}
                                               : (*values)["only"].as<std::vector<std::string>>();
  if (std::ranges::find(only, "") != only.end())
    throw UsageError("--only needs a text, such as 4096x4096");
  BenchOutputs outputs(*values);
  const bool resume = values->count("resume") != 0;
  if (resume && !outputs.json().is_file()) throw UsageError("--resume needs a file in --json");

  BenchRun run;
  run.setup = setup_of(*values);
  run.command = command_text(arguments);
  run.when = std::time(nullptr);
  const RandomDraw draw = random_draw(*values);
  const Work work = work_of(run.setup.devices, only, run.setup.quick, run.setup.warm, draw);
  run.cells = work.size();
  Engines engines(engine_options(*values));
  for (const PluginInfo& plugin : engines.with(run.setup.threads).plugins()) {
    if (plugin.refused.empty())
      run.setup.plugins.emplace_back(plugin.name, plugin.digest);
    else
      say("refused " + plugin.refused);
  }
  const Work all = every_cell(run.setup.devices, run.setup.warm, draw);
  if (resume) keep_results(run, outputs.json(), work, all);
  const Interrupts interrupts;
  Bench bench(engines, run, work);
  bench.measure_all([&] { outputs.save(run); });
  sort(run.results, all);
  outputs.finish(run);
  if (!outputs.take_stdout()) print_bench(std::cout, run, screen_of(STDOUT_FILENO));
  return bench.exit_code();
}

}  // namespace xpose::app
