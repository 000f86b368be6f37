#include "cache_table.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <ostream>

#include "table.hpp"

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

// Of one call of the winner; 0: not known.
double winner_seconds(const Decision& decision) {
  for (const CachedTrial& trial : decision.trials)
    if (!trial.is_copy && trial.digest == decision.digest && trial.variant == decision.winner)
      return trial.seconds;
  return 0;
}

void print_decisions(std::ostream& out, const std::vector<Decision>& decisions) {
  Table table({{"problem"},
               {"device"},
               {"winner"},
               {"time", Table::right},
               {"% of roof", Table::right},
               {"margin", Table::right},
               {"trials", Table::right},
               {"when"}});
  for (const Decision& decision : decisions) {
    const double seconds = winner_seconds(decision);
    const bool has_share = seconds > 0 && decision.roof_seconds > 0;
    table.add({cell(decision.key.problem), cell(decision.key.device),
               cell(to_string(decision.winner)), seconds > 0 ? time_text(seconds) : "",
               has_share ? fixed(100 * decision.roof_seconds / seconds, 1) : "",
               fixed(100 * decision.margin, 1) + " %", std::to_string(decision.trials.size()),
               date_text(decision.when)});
  }
  table.print(out, false);
}

void print_quarantine(std::ostream& out, const std::vector<Quarantine>& quarantine) {
  Table table({{"quarantined"}, {"file"}, {"verdict"}, {"since"}, {"words"}});
  for (const Quarantine& row : quarantine)
    table.add({cell(row.strategy), cell(row.file), std::string(to_string(row.verdict)),
               date_text(row.since), cell(row.words)});
  table.print(out, false);
}

}  // namespace

void print_cache(std::ostream& out, const CacheContents& contents) {
  if (!contents.decisions.empty()) {
    print_decisions(out, contents.decisions);
    out << '\n';
  }
  if (!contents.quarantine.empty()) {
    print_quarantine(out, contents.quarantine);
    out << '\n';
  }
}

}  // namespace xpose::app
