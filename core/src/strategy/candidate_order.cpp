#include "strategy/candidate_order.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

namespace xpose {
namespace {

using Configs = std::vector<Candidate>;  // of one strategy, the most promising first

template <class Projection>
double best_of(const auto& items, const Projection& predicted) {
  return std::invoke(predicted, *std::ranges::min_element(items, {}, predicted));
}

// Sorts by a predicted time, but leaves what is near the best as it is, in front, and puts what
// says nothing before what is known to be far behind.
template <class Projection>
void sort_by_prediction(auto&& items, const Projection& predicted, double near_ratio) {
  if (items.empty()) return;
  const double best = best_of(items, predicted);
  std::ranges::stable_sort(items, {}, [&](const auto& item) {
    const double time = std::invoke(predicted, item);
    if (time <= near_ratio * best) return 0.0;
    return time == kNotPredicted ? kFarBehindRatio * best : time;
  });
}

double best_believed(const Configs& configs) {
  return best_of(configs, [](const Candidate& candidate) { return candidate.believed(); });
}

// By what is believed; claims stand, by their rank, before what is believed to be far behind.
// Returns how many are not far behind.
std::ptrdiff_t sort_by_belief(std::vector<Configs>& all, double near_ratio) {
  std::ranges::stable_sort(all, {}, [](const Configs& configs) {
    return std::pair(!configs.front().trust.is_shipped, configs.front().prior_rank);
  });
  const auto claimed = std::stable_partition(all.begin(), all.end(), [](const Configs& configs) {
    return configs.front().trust.discount.has_value();
  });
  const std::span believed(all.begin(), claimed);
  sort_by_prediction(believed, best_believed, near_ratio);
  if (believed.empty()) return std::ssize(all);
  const double best = best_of(believed, best_believed);
  const auto far = std::ranges::find_if(believed, [&](const Configs& configs) {
    const double time = best_believed(configs);
    return time != kNotPredicted && time > kFarBehindRatio * best;
  });
  return std::rotate(all.begin() + (far - believed.begin()), claimed, all.end()) - all.begin();
}

bool may_be_chosen(const Candidate& candidate) {
  return candidate.role == Role::transpose && candidate.outcome.verdict == Verdict::ok;
}

// Brings what the table names to the front of its strategy. The strategy that it names first, or
// null.
Configs* mark_table(std::vector<Configs>& all, const std::vector<Variant>& table) {
  Configs* first = nullptr;
  for (std::size_t place = 0; place < table.size(); ++place)
    for (Configs& configs : all) {
      const auto named = std::ranges::find(configs, table[place], &Candidate::variant);
      if (named == configs.end() || !may_be_chosen(*named) ||
          configs.front().table_place != kNotInTable)  // one of each strategy
        continue;
      std::rotate(configs.begin(), named, named + 1);
      configs.front().table_place = place;
      if (first == nullptr) first = &configs;
    }
  return first;
}

// Marks the estimate and the favourites. An earlier winner comes to the front of its strategy.
void mark(std::vector<Configs>& all, const Evidence& evidence) {
  const auto first = std::ranges::find_if(
      all, [](const Configs& configs) { return may_be_chosen(configs.front()); });
  if (first == all.end()) return;
  const double near = kNearRatio * best_believed(*first);
  Configs* const named = mark_table(all, evidence.table);
  Candidate& estimate = (named == nullptr ? *first : *named).front();
  estimate.is_estimate = estimate.is_favourite = true;
  for (Configs& configs : all) {
    const double time = best_believed(configs);
    std::stable_partition(configs.begin(), configs.end(), [&](const Candidate& candidate) {
      return candidate.variant == evidence.standing;
    });
    Candidate& best = configs.front();
    if (best.variant == evidence.standing ||
        (best.trust.is_shipped && time != kNotPredicted && time <= near))
      best.is_favourite = true;
  }
}

}  // namespace

void sort_configs(std::vector<Candidate>& configs, double near_ratio) {
  sort_by_prediction(configs, &Candidate::predicted, near_ratio);
}

void sort_strategies(std::vector<Configs>& all, const Evidence& evidence, double near_ratio) {
  const std::ptrdiff_t plausible = sort_by_belief(all, near_ratio);
  mark(all, evidence);
  if (!evidence.tried.empty())
    std::stable_partition(all.begin(), all.begin() + plausible, [&](const Configs& configs) {
      return !evidence.tried.contains(configs.front().variant.strategy);
    });
  std::ranges::stable_sort(all, {}, [&](const Configs& configs) {
    const Candidate& first = configs.front();
    if (first.role == Role::copy) return std::pair(0, kNotInTable);
    if (first.variant == evidence.standing) return std::pair(1, kNotInTable);
    const bool is_early = first.is_favourite || first.table_place != kNotInTable;
    return std::pair(is_early ? 2 : 3, first.table_place);
  });
}

}  // namespace xpose
