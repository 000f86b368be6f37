#include "report/size_sweep.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "output/progress_line.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kStrategies = 4;
constexpr std::array kScales = {0.125, 0.25, 0.5, 2.0};
constexpr double kSeconds = 3;           // for all sizes together
constexpr double kBudgetSeconds = 0.15;  // of one tune; trying every strategy may take longer
constexpr int kRounds = 7;
constexpr std::int64_t kAwkward = 64;  // elements; remainders by it decide alignment and edges

// Input, output and the copies that verification keeps of both, with room for others.
constexpr std::uint64_t kMemoryShare = 8;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t scaled_extent(std::int64_t extent, double scale) {
  const double exact = static_cast<double>(extent) * scale;
  if (exact < 256 || exact > 0x1p62) return std::max<std::int64_t>(std::llround(exact), 1);
  const std::int64_t rest = extent % kAwkward;
  return std::llround((exact - static_cast<double>(rest)) / kAwkward) * kAwkward + rest;
}

TuneOptions only(std::vector<Variant> variants, TuneOptions options) {
  options.variants = std::move(variants);
  options.every_strategy = true;
  options.budget_seconds = kBudgetSeconds;
  options.whole = true;  // the limits here leave out sizes that take too long
  options.max_rounds = kRounds;
  return options;
}

bool too_large(const TuneReport& report, double scale, const DeviceInfo& device) {
  return static_cast<double>(report.bytes) * scale * scale * kMemoryShare >
         static_cast<double>(device.memory_bytes);
}

}  // namespace

Problem scaled(const Problem& problem, double scale) {
  Problem made = problem;
  made.rows = scaled_extent(problem.rows, scale);
  made.cols = scaled_extent(problem.cols, scale);
  if (problem.in_ld != 0) made.in_ld = made.cols + problem.in_ld - problem.cols;
  if (problem.out_ld != 0) made.out_ld = made.rows + problem.out_ld - problem.rows;
  std::int64_t in_stride = made.rows * (made.in_ld == 0 ? made.cols : made.in_ld);
  std::int64_t out_stride = made.cols * (made.out_ld == 0 ? made.rows : made.out_ld);
  for (std::size_t i = made.batch.size(); i-- > 0;) {  // the innermost is last
    made.batch[i].in_stride = in_stride;
    made.batch[i].out_stride = out_stride;
    in_stride *= made.batch[i].extent;
    out_stride *= made.batch[i].extent;
  }
  return made;
}

std::vector<Variant> fastest_variants(const TuneReport& report, std::size_t most) {
  std::vector<Variant> best;
  const auto add = [&](const Trial& trial) {
    const bool met = std::ranges::count(best, trial.variant.strategy, &Variant::strategy) != 0;
    if (trial.timing && trial.role == Role::transpose && !met && best.size() < most)
      best.push_back(trial.variant);
  };
  if (report.winner) add(report.trials[*report.winner]);
  for (const Trial& trial : report.trials) add(trial);
  return best;
}

std::vector<TuneReport> sweep_sizes(Engine& engine, const TuneReport& report,
                                    const DeviceInfo& device, const TuneOptions& options) {
  std::vector<TuneReport> sizes;
  const Problem& tried = report.stand_in ? *report.stand_in : report.problem;
  const TuneOptions few = only(fastest_variants(report, kStrategies), options);
  const auto start = std::chrono::steady_clock::now();
  std::pair<std::int64_t, std::int64_t> last = {0, 0};
  double last_seconds = 0;
  double last_area = 1;
  for (const double scale : kScales) {
    const Problem problem = scaled(tried, scale);
    // Verification alone exceeds the budget, and it grows with the area.
    const double grows = std::max(0.0, last_seconds - kBudgetSeconds) * scale * scale / last_area;
    const double expected = kBudgetSeconds + grows;
    const std::pair shape(problem.rows, problem.cols);
    if (shape == std::pair(tried.rows, tried.cols)) continue;
    if (std::exchange(last, shape) == shape || too_large(report, scale, device) ||
        seconds_since(start) + expected > kSeconds)
      continue;
    const double before = seconds_since(start);
    if (options.interrupted && options.interrupted()) return sizes;
    try {
      sizes.push_back(engine.tune(problem, few));
    } catch (const Error& error) {  // too little memory now, say: the report needs no size
      say("warning: the report lacks " + to_string(problem) + ": " + error.what());
      return sizes;
    }
    last_seconds = seconds_since(start) - before;
    last_area = scale * scale;
  }
  return sizes;
}

}  // namespace xpose::app
