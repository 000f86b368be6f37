#include "strategy/candidates.hpp"

#include <algorithm>
#include <utility>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "strategy/candidate_order.hpp"
#include "strategy/plugin_call.hpp"

namespace xpose {
namespace {

// A library that is timed for comparison alone is not worth more launches of one trial: at 2 us
// each these take 20 ms.
constexpr std::int64_t kMostNumericLaunches = 10'000;
// Nor is a strategy that would be launched for seconds, where others take the whole problem.
constexpr std::int64_t kMostLaunchesOfCuda = 1'000'000, kMostLaunchesOfHost = 20'000'000;

// How often a strategy is called for one problem: once for each matrix of the dimensions that it
// does not take itself.
std::int64_t calls(const StrategyInfo& card, const Problem& problem) {
  std::int64_t count = 1;
  for (std::size_t dim = card.max_batch_rank; dim < problem.batch.size(); ++dim)
    count *= problem.batch[dim].extent;
  return count;
}

// How the rows are aligned that a strategy moves. A copy has none: its bytes are dense.
Alignment alignment_for(const StrategyInfo& card, const Problem& problem) {
  return card.role == Role::copy ? Alignment{problem.in_alignment, problem.out_alignment}
                                 : row_alignment(problem);
}

// The refusal by the card alone, or nothing.
std::string card_refusal(const StrategyInfo& card, const Problem& problem,
                         const DeviceInfo& device) {
  if (!serves_elements(card.element_sizes, problem.element_bytes))
    return "serves no elements of " + std::to_string(problem.element_bytes) +
           (problem.element_bytes == 1 ? " byte" : " bytes");
  const std::uint32_t needed =
      card.min_alignment == 0 ? std::min(problem.element_bytes, 16U) : card.min_alignment;
  const Alignment rows = alignment_for(card, problem);
  if (const std::uint32_t aligned = std::min(rows.in, rows.out); aligned < needed)
    return "needs rows aligned to " + std::to_string(needed) + " bytes; these are aligned to " +
           std::to_string(aligned);
  if (device.compute_capability < card.min_compute_capability)
    return "needs compute capability " + std::to_string(card.min_compute_capability / 10) + '.' +
           std::to_string(card.min_compute_capability % 10);
  if (card.max_extent != 0 && std::max(problem.rows, problem.cols) > card.max_extent)
    return "serves at most " + std::to_string(card.max_extent) + " rows and columns";
  if (problem.in_place && !card.in_place) return "does not work in place";
  if (!card.permutes && !is_of_matrices(problem, card.max_batch_rank))
    return "serves matrices only; this problem reads an axis backwards";
  const bool on_host = problem.device.kind == DeviceKind::host;
  const std::int64_t launches = calls(card, problem);
  const bool is_compared_only = card.role == Role::numeric && !on_host;
  const std::int64_t most = is_compared_only ? kMostNumericLaunches
                            : on_host        ? kMostLaunchesOfHost
                                             : kMostLaunchesOfCuda;
  if (launches > most)
    return "needs " + std::to_string(launches) + " launches; a strategy" +
           (is_compared_only ? " that is only compared" : "") + " gets at most " +
           std::to_string(most);
  return {};
}

// A problem, and who is asked about it.
struct Inquiry {
  const Problem& normal;
  const DeviceInfo& device;
  const TuneOptions& options;
  Quoter& quoter;
};

// The wanted configs of a strategy, and why its card refuses them all, if it does.
struct Wanted {
  Question question;
  std::string refusal;
};

Wanted wanted(const Strategy& strategy, const Inquiry& inquiry) {
  const StrategyInfo& card = strategy.info;
  Wanted wanted{{&strategy, configs(card)},
                card_refusal(card, problem_for(card, inquiry.normal), inquiry.device)};
  std::erase_if(wanted.question.configs, [&](const Values& values) {
    return !is_wanted(card, values, inquiry.options.variants);
  });
  return wanted;
}

// The configs, each as its strategy answered.
std::vector<Candidate> answered(const Wanted& wanted, const Inquiry& inquiry) {
  const Question& question = wanted.question;
  const Strategy& strategy = *question.strategy;
  const Problem& normal = inquiry.normal;
  std::vector<QuoteAnswer> answers;
  if (!wanted.refusal.empty())
    answers.assign(question.configs.size(),
                   QuoteAnswer{{Verdict::unsupported, wanted.refusal}, "", 0});
  else if (!question.configs.empty())
    answers = inquiry.quoter.quote(strategy, question.configs);
  Problem launched = aligned_as_rows(normal);  // a launch begins at any row
  launched.batch.resize(std::min<std::size_t>(normal.batch.size(), strategy.info.max_batch_rank));
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < question.configs.size(); ++i) {
    const Demand demand = answers.at(i).demand;
    all.push_back(candidate_of(strategy, question.configs[i], std::move(answers.at(i))));
    if (strategy.info.role == Role::transpose)
      all.back().predicted = predicted_time(demand, launched, inquiry.device, inquiry.options.warm,
                                            calls(strategy.info, normal)) +
                             shared_lines_time(normal, strategy.info.max_batch_rank);
  }
  return all;
}

void announce(std::span<const Wanted> all, Quoter& quoter) {
  std::vector<Question> questions;
  for (const auto& [question, refusal] : all)
    if (refusal.empty() && !question.configs.empty()) questions.push_back(question);
  quoter.announce(questions);
}

// The supported configs of a strategy, or one candidate that says why there is none.
std::vector<Candidate> of_strategy(const Wanted& wanted, const Inquiry& inquiry,
                                   const Evidence& evidence) {
  std::vector<Candidate> all = answered(wanted, inquiry);
  if (evidence.trust) {
    const Trust trust = evidence.trust(*wanted.question.strategy);
    for (Candidate& candidate : all) candidate.trust = trust;
  }
  const auto refused = [](const Candidate& candidate) {
    return candidate.outcome.verdict != Verdict::ok;
  };
  if (!std::ranges::all_of(all, refused) || all.empty()) {
    std::erase_if(all, refused);
    sort_configs(all, near_prediction_ratio(inquiry.normal.device.kind));
    return all;
  }
  all.resize(1);
  all.front().variant.config.clear();
  return all;
}

}  // namespace

std::string choice_refusal(const StrategyInfo& strategy, const Device& device) {
  switch (strategy.role) {
    case Role::copy:
      return strategy.name + " is a copy, and a copy transposes nothing";
    case Role::numeric:
      return strategy.name + " computes with the elements, and arithmetic may change their bytes";
    case Role::experiment:
      return strategy.name + " is an experiment, which is never tried";
    case Role::transpose:
      break;
  }
  return strategy.device_kind == device.kind
             ? ""
             : strategy.name + " does not run on " + to_string(device);
}

Problem problem_for(const StrategyInfo& strategy, const Problem& normal) {
  if (strategy.role != Role::copy) return normal;
  Problem copy = copy_of_same_bytes(normal);
  copy.in_alignment = copy.out_alignment = kWidestAlignment;
  copy.in_place = false;
  return copy;
}

xpose_problem to_abi(const StrategyInfo& strategy, const Problem& problem,
                     const DeviceInfo& device) {
  xpose_problem abi = to_abi(problem, strategy.max_batch_rank, device);
  const Alignment rows = alignment_for(strategy, problem);
  abi.in_alignment = rows.in;
  abi.out_alignment = rows.out;
  return abi;
}

QuoteAnswer quote(const Strategy& strategy, const Values& values, const Problem& normal,
                  const DeviceInfo& device) {
  const Problem problem = problem_for(strategy.info, normal);
  QuoteAnswer answer;
  answer.outcome.detail = card_refusal(strategy.info, problem, device);
  if (!answer.outcome.detail.empty()) {
    answer.outcome.verdict = Verdict::unsupported;
    return answer;
  }
  const xpose_problem abi = to_abi(strategy.info, problem, device);
  xpose_quote quoted{};
  quoted.size = sizeof quoted;
  const CallResult result = call_plugin([&](xpose_text error) {
    return strategy.functions->quote(&abi, values.data(), &quoted, error);
  });
  quoted.launch[sizeof quoted.launch - 1] = '\0';
  answer.launch = one_line(static_cast<const char*>(quoted.launch));
  answer.workspace_bytes = quoted.workspace_bytes;
  answer.demand = {quoted.blocks,    quoted.threads,        quoted.shared_bytes, quoted.load_run,
                   quoted.store_run, quoted.slower_percent, quoted.traits};
  if (result.status == XPOSE_UNSUPPORTED)
    answer.outcome = {Verdict::unsupported, result.words};
  else if (result.status == XPOSE_NO_MEMORY)
    answer.outcome = {Verdict::no_memory, result.words};
  else if (result.status != XPOSE_OK)
    answer.outcome = {Verdict::protocol_error, "failed to quote: " + result.words};
  return answer;
}

Candidate candidate_of(const Strategy& strategy, const Values& values, QuoteAnswer answer) {
  Candidate candidate;
  candidate.strategy = &strategy;
  candidate.values = values;
  candidate.variant = {strategy.info.name, config_of(strategy.info, values)};
  candidate.launch = std::move(answer.launch);
  candidate.workspace_bytes = answer.workspace_bytes;
  candidate.role = strategy.info.role;
  candidate.prior_rank = strategy.info.prior_rank;
  candidate.outcome = std::move(answer.outcome);
  return candidate;
}

std::vector<Candidate> all_candidates(const Strategy& strategy, const Problem& normal,
                                      const DeviceInfo& device, const TuneOptions& options,
                                      Quoter& quoter) {
  const Inquiry inquiry{normal, device, options, quoter};
  return answered(wanted(strategy, inquiry), inquiry);
}

std::vector<Candidate> candidates(std::span<const Strategy* const> strategies,
                                  const Problem& normal, const DeviceInfo& device,
                                  const TuneOptions& options, Quoter& quoter,
                                  const Evidence& evidence) {
  const Inquiry inquiry{normal, device, options, quoter};
  std::vector<Wanted> asked;
  for (const Strategy* strategy : strategies) {
    const StrategyInfo& info = strategy->info;
    if (info.device_kind == normal.device.kind && info.role != Role::experiment)
      asked.push_back(wanted(*strategy, inquiry));
  }
  announce(asked, quoter);
  std::vector<std::vector<Candidate>> by_strategy;
  by_strategy.reserve(asked.size());
  for (const Wanted& one : asked) by_strategy.push_back(of_strategy(one, inquiry, evidence));
  std::erase_if(by_strategy, [](const auto& configs) { return configs.empty(); });
  sort_strategies(by_strategy, evidence, near_prediction_ratio(normal.device.kind));
  std::vector<Candidate> all;
  for (std::size_t turn = 0, before = 1; before != all.size(); ++turn) {
    before = all.size();
    for (auto& configs : by_strategy)
      if (turn < configs.size()) all.push_back(std::move(configs[turn]));
  }
  return all;
}

}  // namespace xpose
