#include "candidates.hpp"

#include <algorithm>

#include "normal_form.hpp"

namespace xpose {
namespace {

// What the card alone rules out, or nothing.
std::string card_refusal(const xpose_card& card, const Problem& problem, const DeviceInfo& device) {
  if ((card.element_sizes & problem.element_bytes) == 0)
    return "serves no elements of " + std::to_string(problem.element_bytes) + " bytes";
  const std::uint32_t needed = card.min_alignment == 0 ? problem.element_bytes : card.min_alignment;
  if (const std::uint32_t aligned = std::min(problem.in_alignment, problem.out_alignment);
      aligned < needed)
    return "needs rows aligned to " + std::to_string(needed) + " bytes; these are to " +
           std::to_string(aligned);
  if (device.compute_capability < card.min_compute_capability)
    return "needs compute capability " + std::to_string(card.min_compute_capability / 10) + '.' +
           std::to_string(card.min_compute_capability % 10);
  if (card.max_extent != 0 && std::max(problem.rows, problem.cols) > card.max_extent)
    return "serves at most " + std::to_string(card.max_extent) + " rows and columns";
  if (problem.in_place && (card.traits & XPOSE_TRAIT_IN_PLACE) == 0)
    return "does not work in place";
  return {};
}

bool wanted(const Candidate& candidate, const TuneOptions& options) {
  if (candidate.is_copy) return true;
  return std::ranges::all_of(candidate.variant.config, [&](const AxisValue& value) {
    return std::ranges::all_of(options.config, [&](const AxisValue& fixed) {
      return fixed.axis != value.axis || fixed.value == value.value;
    });
  });
}

// The supported configs of a strategy, or one candidate that says why there is none.
std::vector<Candidate> of_strategy(const Strategy& strategy, const Problem& normal,
                                   const DeviceInfo& device, const TuneOptions& options) {
  std::vector<Candidate> supported;
  std::vector<Candidate> unsupported;
  for (auto& values : configs(strategy.card)) {
    Candidate candidate = quote(strategy, std::move(values), normal, device);
    if (!wanted(candidate, options)) continue;
    (candidate.unsupported.empty() ? supported : unsupported).push_back(std::move(candidate));
  }
  if (supported.empty() && !unsupported.empty()) {
    unsupported.resize(1);
    unsupported.front().variant.config.clear();
    return unsupported;
  }
  return supported;
}

}  // namespace

Problem problem_for(const Strategy& strategy, const Problem& normal) {
  if (strategy.card.role != XPOSE_COPY) return normal;
  Problem copy = copy_of_same_bytes(normal);
  copy.in_alignment = copy.out_alignment = 256;  // the roof has no misaligned rows
  copy.in_place = false;
  return copy;
}

Candidate quote(const Strategy& strategy, std::vector<std::int64_t> values, const Problem& normal,
                const DeviceInfo& device) {
  const xpose_card& card = strategy.card;
  Candidate candidate;
  candidate.strategy = &strategy;
  candidate.values = std::move(values);
  candidate.variant.strategy = card.name;
  for (std::uint32_t i = 0; i < card.axis_count; ++i)
    candidate.variant.config.push_back({card.axes[i].name, candidate.values.at(i)});
  candidate.is_copy = card.role == XPOSE_COPY;
  candidate.prior_rank = card.prior_rank;
  const Problem problem = problem_for(strategy, normal);
  candidate.unsupported = card_refusal(card, problem, device);
  if (!candidate.unsupported.empty()) return candidate;

  const xpose_problem abi = to_abi(problem, card.max_batch_rank, device);
  xpose_quote answer{};
  answer.size = sizeof answer;
  char words[512] = "";
  const xpose_status status = strategy.functions.quote(&abi, candidate.values.data(), &answer,
                                                       {static_cast<char*>(words), sizeof words});
  words[sizeof words - 1] = '\0';
  answer.launch[sizeof answer.launch - 1] = '\0';
  if (status != XPOSE_OK)
    candidate.unsupported = words[0] == '\0' ? "gave no reason" : static_cast<const char*>(words);
  candidate.launch = static_cast<const char*>(answer.launch);
  candidate.workspace_bytes = answer.workspace_bytes;
  return candidate;
}

std::vector<std::vector<std::int64_t>> configs(const xpose_card& card) {
  std::vector<std::vector<std::int64_t>> all = {{}};
  for (std::uint32_t axis = 0; axis < card.axis_count; ++axis) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& values : all)
      for (std::uint64_t i = 0; i < card.axes[axis].value_count; ++i) {
        longer.push_back(values);
        longer.back().push_back(card.axes[axis].values[i]);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<Candidate> candidates(std::span<const Strategy* const> strategies,
                                  const Problem& normal, const DeviceInfo& device,
                                  const TuneOptions& options) {
  std::vector<std::vector<Candidate>> by_strategy;
  for (const Strategy* strategy : strategies) {
    const bool here =
        (strategy->card.device_kind == XPOSE_HOST) == (normal.device.kind == DeviceKind::host);
    const bool is_copy = strategy->card.role == XPOSE_COPY;
    const bool named =
        options.strategies.empty() ||
        std::ranges::find(options.strategies, strategy->card.name) != options.strategies.end();
    if (here && (is_copy || named))
      by_strategy.push_back(of_strategy(*strategy, normal, device, options));
  }
  std::erase_if(by_strategy, [](const auto& configs) { return configs.empty(); });
  std::ranges::stable_sort(by_strategy, {}, [](const auto& configs) {
    return std::pair(!configs.front().is_copy, configs.front().prior_rank);
  });
  std::vector<Candidate> all;
  for (std::size_t turn = 0;; ++turn) {
    const std::size_t before = all.size();
    for (auto& configs : by_strategy)
      if (turn < configs.size()) all.push_back(std::move(configs[turn]));
    if (all.size() == before) return all;
  }
}

}  // namespace xpose
