#include "report/tune_accounts.hpp"

#include <cmath>
#include <limits>

#include "output/progress_line.hpp"
#include "report/size_sweep.hpp"

namespace xpose::app {
namespace {

constexpr double kMostElements = 1 << 20;

double elements_of(const Problem& problem) {
  double elements = static_cast<double>(problem.rows) * static_cast<double>(problem.cols);
  for (const BatchDim& dim : problem.batch) elements *= static_cast<double>(dim.extent);
  return elements;
}

}  // namespace

std::vector<VariantAccount> account_variants(Engine& engine, const TuneReport& report) {
  if (report.problem.device.kind != DeviceKind::cuda) return {};
  const double elements = elements_of(report.problem);
  const Problem problem = elements <= kMostElements
                              ? report.problem
                              : scaled(report.problem, std::sqrt(kMostElements / elements));
  std::vector<VariantAccount> accounts;
  for (const Variant& variant : fastest_variants(report, std::numeric_limits<std::size_t>::max()))
    try {
      ExplainOptions options;
      options.measure = false;
      Explanation told = explain(engine, problem, variant, options);
      if (told.simulation) accounts.push_back({variant, problem, std::move(*told.simulation)});
    } catch (const Error& error) {
      say("the report lacks the accesses of " + to_string(variant) + ": " + error.what());
    }
  return accounts;
}

}  // namespace xpose::app
