#include "chooser/choices.hpp"

#include <mutex>
#include <utility>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

std::string name_of(const Problem& normal, const TuneOptions& options) {
  return key(normal) + (options.warm ? " warm" : " cold");
}

}  // namespace

std::optional<Choice> Choices::find(const Problem& normal, const TuneOptions& options,
                                    bool or_estimate) {
  const std::shared_lock lock(mutex_);
  const auto found = by_name_.find(name_of(normal, options));
  if (found == by_name_.end() || (found->second.is_estimate && !or_estimate)) return std::nullopt;
  return found->second;
}

Choice Choices::keep(const Problem& normal, const TuneOptions& options, Choice choice) {
  if (!is_whole(options)) return choice;
  const std::unique_lock lock(mutex_);
  const auto [kept, is_new] = by_name_.try_emplace(name_of(normal, options), choice);
  if (!is_new && (kept->second.is_estimate || !choice.is_estimate)) kept->second = choice;
  return choice;
}

bool Choices::claim_improvement(const Problem& normal, const TuneOptions& options) {
  const std::unique_lock lock(mutex_);
  const auto kept = by_name_.find(name_of(normal, options));
  return kept != by_name_.end() && std::exchange(kept->second.is_provisional, false);
}

void Choices::forget(const Problem& normal, const TuneOptions& options) {
  const std::unique_lock lock(mutex_);
  for (const Problem& alike : alike_in_alignment(normal)) by_name_.erase(name_of(alike, options));
}

void Choices::forget_all() {
  const std::unique_lock lock(mutex_);
  by_name_.clear();
}

}  // namespace xpose
