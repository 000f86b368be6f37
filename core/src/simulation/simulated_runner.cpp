#include "simulation/simulated_runner.hpp"

#include <utility>
#include <variant>

#include "simulation/simulated_run.hpp"

namespace xpose {
namespace {

Verdict verdict_of(const Finding& finding) {
  if (!finding.access) return Verdict::wrong_result;
  return *finding.access == AccessKind::load ? Verdict::read_outside : Verdict::wrote_outside;
}

Outcome outcome_of(const AccessAccount& account) {
  if (account.findings.empty()) return {};
  const Finding& first = account.findings.front();
  std::string text = to_string(first);
  if (account.findings.size() > 1)
    text += "; and " + std::to_string(account.findings.size() - 1) + " more findings";
  return {verdict_of(first), std::move(text)};
}

}  // namespace

SimulatedRunner::SimulatedRunner(Problem problem, DeviceInfo device, std::filesystem::path plugin)
    : problem_(std::move(problem)), device_(std::move(device)), plugin_(std::move(plugin)) {}

std::vector<QuoteAnswer> SimulatedRunner::quote(const Strategy& strategy,
                                                const std::vector<Values>& configs) {
  std::vector<QuoteAnswer> answers;
  answers.reserve(configs.size());
  for (const Values& values : configs)
    answers.push_back(xpose::quote(strategy, values, problem_, device_));
  return answers;
}

Outcome SimulatedRunner::verify(const Candidate& candidate) {
  try {
    const auto ran = simulate(candidate, problem_, device_, plugin_);
    if (const auto* account = std::get_if<AccessAccount>(&ran)) return outcome_of(*account);
    return {Verdict::unsupported, "the simulator cannot run it: " + std::get<std::string>(ran)};
  } catch (const Error& error) {
    return xpose::outcome_of(error);
  }
}

Sample SimulatedRunner::time(const Candidate&) {
  return {{Verdict::unsupported, "the simulator has no clock"}, 0};
}

}  // namespace xpose
