// What the commands call, for the target command_line: answers without measuring, loading or
// writing, and holds the commands to asking only for what can be asked for.
#include "forecast/run_forecast.hpp"
#include "fuzz.hpp"
#include "output/exit_cleanup.hpp"
#include "output/json.hpp"
#include "output/result_output.hpp"
#include "report/report.hpp"
#include "report/size_sweep.hpp"
#include "report/tune_accounts.hpp"
#include "run/run.hpp"
#include "xpose/cache.hpp"

namespace xpose {

namespace {

void check_options(const EngineOptions& options) {
  fuzz::require(options.threads <= 65536, "threads are as many as a machine can have");
}

void check_options(const TuneOptions& options) {
  fuzz::require(options.budget_seconds >= 0, "a budget is 0 or more seconds");
}

}  // namespace

struct Engine::Impl {
  std::vector<PluginInfo> plugins;
};

Engine::Engine(const EngineOptions& options) : impl_(std::make_shared<Impl>()) {
  check_options(options);
  PluginInfo& good = impl_->plugins.emplace_back();
  good.name = "good";
  good.strategies.emplace_back().name = "naive";
  impl_->plugins.emplace_back().refused = "bad.so: is not a loadable shared library";
}

const std::vector<PluginInfo>& Engine::plugins() const { return impl_->plugins; }

TuneReport Engine::tune(const Problem& problem, const TuneOptions& options) {
  check_options(options);
  fuzz::require(problem.rows >= 0 && problem.cols >= 0, "a shape is not negative");
  for (const BatchDim& dim : problem.batch) fuzz::require(dim.extent >= 0, "nor is a batch");
  TuneReport report;
  report.problem = problem;
  report.bytes = 2;
  if (options.variants.empty()) {
    Trial& trial = report.trials.emplace_back();
    trial.variant.strategy = "naive";
    trial.timing = Timing{.median = 1e-6};
    report.winner = 0;
  }
  return report;
}

std::vector<std::filesystem::path> default_plugin_folders() { return {}; }
std::filesystem::path default_cache_file() { return {}; }
std::optional<Policy> imposed_policy() { return {}; }

namespace app {

Json to_json(const PluginInfo&) { return {}; }
Json to_json(const TuneReport&) { return {}; }
void JsonOutput::write(const Json&) {}

ResultOutput::ResultOutput(const std::string&, const std::string& target)
    : kind_(target.empty()  ? Kind::nowhere
            : target == "-" ? Kind::standard_output
                            : Kind::file) {}
void ResultOutput::write(std::string_view) {}
void ResultOutput::check_apart(const ResultOutput&, const ResultOutput&) {}
TemporaryFile::~TemporaryFile() = default;
FileDescriptor::~FileDescriptor() = default;
void ExitCleanup::end(int signal) noexcept { std::_Exit(128 + signal); }

std::vector<TuneReport> sweep_sizes(Engine&, const TuneReport&, const DeviceInfo&,
                                    const TuneOptions&) {
  return {};
}

std::string tune_report(const TuneReport&, const DeviceInfo&, std::span<const TuneReport>,
                        std::span<const VariantAccount>, const std::string&) {
  return {};
}

std::vector<VariantAccount> account_variants(Engine&, const TuneReport&) { return {}; }

int run_command(const RunOptions& options) {
  check_options(options.how.engine);
  check_options(options.how.plan.tune);
  return 0;
}

int forecast_command(const RunOptions& options, const std::string&) { return run_command(options); }

}  // namespace app
}  // namespace xpose
