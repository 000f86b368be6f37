#include "host_strategies.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "problem/normal_form.hpp"
#include "strategy/candidates.hpp"
#include "trial/in_process_runner.hpp"

namespace xpose {
namespace {

// 9 MiB read and written, more than what some leave to one thread; rows that are not aligned need a
// workspace for each thread.
Problem problem_for_threads(const StrategyInfo& strategy) {
  const bool fat = !serves_elements(strategy.element_sizes, 4);
  Problem problem = fat ? matrix(272, 271, 64) : matrix(1088, 1087, 4);
  if (strategy.in_place) problem = fat ? matrix(271, 271, 64) : matrix(1087, 1087, 4);
  problem.in_place = strategy.in_place;
  if (strategy.name == "host_skinny") problem = matrix(9, 131071, 4);
  if (strategy.name == "host_odd")
    problem = permutation(std::array<std::int64_t, 3>{1088, 1087, 3}, std::array{1, 0, 2}, 4);
  if (strategy.name == "host_permute")
    problem =
        permutation(std::array<std::int64_t, 5>{17, 9, 33, 13, 19}, std::array{4, 2, 0, 3, 1}, 4);
  return normal_form(problem);
}

}  // namespace

std::vector<const Strategy*> host_strategies() {
  std::vector<const Strategy*> all;
  for (const auto& entry : std::filesystem::directory_iterator(XPOSE_PLUGINS)) {
    if (entry.path().extension() != ".so" || !entry.path().stem().string().starts_with("host_"))
      continue;
    PluginFile file = PluginFile::open(entry.path());
    const std::string digest = file.digest();
    for (const Strategy& strategy : load_plugin(std::move(file), digest).strategies)
      all.push_back(&strategy);
  }
  return all;
}

std::string complaint_of(const Strategy& strategy, unsigned threads) {
  InProcessRunner runner(backend(Device{}), problem_for_threads(strategy.info), threads, true);
  const std::vector<Values> all = configs(strategy.info);
  const std::vector<QuoteAnswer> answers = runner.quote(strategy, all);
  bool is_tried = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (answers[i].outcome.verdict == Verdict::unsupported) continue;
    const Outcome outcome = runner.verify(candidate_of(strategy, all[i], answers[i]));
    if (outcome.verdict != Verdict::ok)
      return std::string(to_string(outcome.verdict)) + ": " + outcome.detail;
    is_tried = true;
  }
  return is_tried ? "" : "serves none of the problems of this test";
}

}  // namespace xpose
