#include "commands/cache_table.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <ostream>

#include "output/table.hpp"

namespace xpose::app {
namespace {

// A text as a cell.
std::string cell(std::string_view text) {
  constexpr std::size_t kMax = 100;
  std::string result(text.substr(0, kMax));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMax ? result + "..." : result;
}

std::string date_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm date{};
  std::array<char, 32> text{};
  if (gmtime_r(&time, &date) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &date) == 0)
    return std::to_string(seconds);
  return text.data();
}

// Null: not known.
const CachedTrial* winners_trial(const Decision& decision) {
  for (const CachedTrial& trial : decision.trials)
    if (trial.role == Role::transpose && trial.digest == decision.digest &&
        trial.variant == decision.winner)
      return &trial;
  return nullptr;
}

void print_decisions(std::ostream& out, const std::vector<Decision>& decisions,
                     const Screen& screen) {
  Table table({{"problem", Table::left, Table::wrap, 28},
               {"device", Table::left, Table::wrap, 28, 2},
               {"winner", Table::left, Table::variants, 20},
               {"time", Table::right},
               {"% of roof", Table::right},
               {"margin", Table::right, Table::whole, 0, 3},
               {"trials", Table::right, Table::whole, 0, 4},
               {"when", Table::left, Table::whole, 0, 1}});
  bool above = false;
  for (const Decision& decision : decisions) {
    const CachedTrial* const winner = winners_trial(decision);
    const double seconds = winner == nullptr ? 0 : winner->seconds;
    const bool one_round = winner != nullptr && winner->samples == 1;
    const bool has_share = seconds > 0 && decision.roof_seconds > 0;
    above = above || (has_share && is_above_the_roof(decision.roof_seconds / seconds));
    table.add({cell(problem_text(decision.key.problem)), cell(decision.key.device),
               cell(to_string(decision.winner)), seconds > 0 ? time_text(seconds) : "",
               has_share ? fixed(100 * decision.roof_seconds / seconds, 1) : "",
               one_round ? "" : percent(decision.margin),
               std::to_string(decision.trials.size()) + (decision.untried > 0 ? " *" : ""),
               date_text(decision.when)});
  }
  table.print(out, screen);
  if (std::ranges::any_of(decisions, [](const Decision& one) { return one.untried > 0; }))
    out << wrapped_text("*: provisional; the next tune or plan tries the remaining strategies.",
                        screen.width)
        << '\n';
  if (above) out << wrapped_text(kAboveTheRoof, screen.width) << '\n';
}

void print_quarantine(std::ostream& out, const std::vector<Quarantine>& quarantine,
                      const Screen& screen) {
  Table table({{"quarantined", Table::left, Table::wrap},
               {"file", Table::left, Table::wrap, 0, 1},
               {"verdict"},
               {"since", Table::left, Table::whole, 0, 2},
               {"words", Table::left, Table::wrap, 30}});
  for (const Quarantine& row : quarantine)
    table.add({cell(row.strategy), cell(row.file), std::string(to_string(row.verdict)),
               date_text(row.since), cell(row.words)});
  table.print(out, screen);
}

}  // namespace

void print_cache(std::ostream& out, const CacheContents& contents, const Screen& screen) {
  if (!contents.decisions.empty()) {
    print_decisions(out, contents.decisions, screen);
    out << '\n';
  }
  if (!contents.quarantine.empty()) {
    print_quarantine(out, contents.quarantine, screen);
    out << '\n';
  }
}

}  // namespace xpose::app
