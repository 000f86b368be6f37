#include "output/tune_table.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

#include "output/table.hpp"
#include "output/tried_on.hpp"

namespace xpose::app {

namespace {

std::string verdict_text(const Trial& trial) {
  if (trial.verdict == Verdict::ok && !trial.timing) return "estimated";
  if (trial.verdict == Verdict::ok)
    return trial.role == Role::copy      ? "ok (copy)"
           : trial.role == Role::numeric ? "ok (numeric)"
                                         : "ok";
  const std::string name(to_string(trial.verdict));
  return trial.detail.empty() ? name : name + ": " + trial.detail;
}

double gb_per_s(const TuneReport& report, const Trial& trial) {
  return static_cast<double>(report.bytes) / trial.timing->median * 1e-9;
}

std::optional<double> share_of_roof(const TuneReport& report, const Trial& trial) {
  if (!trial.timing || !report.roof) return std::nullopt;
  return report.trials[*report.roof].timing->median / trial.timing->median;
}

constexpr double kTie = 0.02;

std::string margin_text(const TuneReport& report) {
  if (report.rounds <= 1) return " was the fastest in a race of one round, too short for a margin";
  if (!report.runner_up) return " won";
  const std::string other = to_string(report.trials[*report.runner_up].variant);
  if (report.margin < -kTie)  // the runner-up was not in the final
    return " won the final; " + other + " took " + percent(-report.margin) +
           " less time in earlier rounds, when the machine was faster";
  if (report.margin < kTie) return " won (as fast as " + other + " within 2 %)";
  return " won by " + percent(report.margin) + " over " + other;
}

}  // namespace

std::string sentence(const TuneReport& report) {
  if (report.bytes == 0 && report.problem.in_place)
    return "No element changes its place: nothing to do.";
  if (report.bytes == 0) return "The problem is empty: nothing to do.";
  if (!report.winner && report.interrupted)
    return "Interrupted before any strategy was proven; nothing was chosen.";
  if (report.trials.empty()) return "There was no strategy to try; nothing was chosen.";
  const auto is_declined = [](const Trial& trial) {
    return trial.role != Role::transpose || trial.verdict == Verdict::unsupported;
  };
  if (!report.winner && std::ranges::all_of(report.trials, is_declined))
    return "No strategy serves this problem here; nothing was chosen.";
  if (!report.winner) return "No strategy was right on this problem; nothing was chosen.";
  if (report.is_estimate) return tried_on(report);
  std::ostringstream out;
  const Trial& winner = report.trials[*report.winner];
  out << to_string(winner.variant) << margin_text(report);
  if (report.roof) {
    const Trial& roof = report.trials[*report.roof];
    out << ", at " << percent(*share_of_roof(report, winner)) << " of the roof ("
        << to_string(roof.variant) << ", " << fixed(gb_per_s(report, roof), 1) << " GB/s)";
  }
  out << '.';
  if (report.stand_in) out << ' ' << tried_on(report);
  return out.str();
}

std::string strategies_text(const std::vector<std::string>& names,
                            const std::vector<PluginInfo>& plugins) {
  constexpr std::size_t kMostNames = 3;
  if (names.size() <= kMostNames) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  std::set<DeviceKind> kinds;
  for (const PluginInfo& plugin : plugins)
    for (const StrategyInfo& strategy : plugin.strategies)
      if (std::ranges::count(names, strategy.name) != 0) kinds.insert(strategy.device_kind);
  const char* const kind = kinds.size() != 1                    ? " "
                           : *kinds.begin() == DeviceKind::host ? " host "
                                                                : " CUDA ";
  return std::to_string(names.size()) + kind + "strategies";
}

namespace {

// The reasons in the order of the report.
void print_declined(std::ostream& out, const TuneReport& report,
                    const std::vector<PluginInfo>& plugins, const Screen& screen) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Trial& trial : report.trials) {
    if (trial.verdict != Verdict::unsupported) continue;
    auto reason = std::ranges::find(reasons, trial.detail, [](const auto& r) { return r.first; });
    if (reason == reasons.end()) reason = reasons.insert(reason, {trial.detail, {}});
    if (!std::ranges::count(reason->second, trial.variant.strategy))
      reason->second.push_back(trial.variant.strategy);
  }
  if (reasons.empty()) return;
  out << "\nunsupported, --all lists each:\n";
  for (const auto& [reason, names] : reasons)
    out << "  "
        << wrapped_text(strategies_text(names, plugins) + (reason.empty() ? "" : ": " + reason),
                        screen.width, 4)
        << '\n';
}

void print_sentences(std::ostream& out, const TuneReport& report, const Screen& screen) {
  const auto say = [&](const std::string& text) {
    out << wrapped_text(text, screen.width) << '\n';
  };
  say(sentence(report));
  if (!report.winner) return;
  if (report.rounds <= 1 && !report.is_estimate) say("A longer --budget races more rounds.");
  if (report.untried != 0)
    say(std::to_string(report.untried) +
        " variants were not tried, for one of three reasons: a prediction far behind, a first "
        "config that took several times as long as the fastest, or the end of the budget. "
        "--strategy and --budget try more.");
  if (!report.untried_rivals.empty()) {
    std::string names;
    for (const std::string& rival : report.untried_rivals)
      names += (names.empty() ? "" : ", ") + rival;
    say("The choice is provisional: the budget did not reach " + names +
        ". The next tune or plan tries the rest.");
  }
  if (report.interrupted) say("Interrupted: the figures are those of the finished trials.");
}

}  // namespace

namespace {

// A share of the roof, with its discount; "?" marks a prediction that does not count yet.
std::string predicted_text(const Trial& trial) {
  if (trial.predicted_share == 0) return "";
  const std::string share = fixed(100 * trial.predicted_share, 1);
  if (trial.discount == 0) return share + " ?";
  return trial.discount == 1 ? share : share + " / " + fixed(trial.discount, 1);
}

// The meaning of the marks of that column, where there are any.
std::string predictions_note(const TuneReport& report) {
  const auto any = [&](const auto& is_so) {
    return std::ranges::any_of(report.trials, [&](const Trial& trial) {
      return trial.predicted_share != 0 && is_so(trial.discount);
    });
  };
  std::string note;
  if (any([](double discount) { return discount == 0; }))
    note = "Predicted ?: the strategy was never measured here, so its prediction does not count.";
  if (any([](double discount) { return discount > 1; }))
    note += std::string(note.empty() ? "" : " ") +
            "Predicted / N: its strategy took N times as long as predicted.";
  return note;
}

}  // namespace

void print_report(std::ostream& out, const TuneReport& report,
                  const std::vector<PluginInfo>& plugins, bool all_variants, const Screen& screen) {
  Table table({{"variant", Table::left, Table::variants},
               {"launch", Table::left, Table::whole, 0, 1},
               {"time", Table::right},
               {"GB/s", Table::right},
               {"% of roof", Table::right},
               {"predicted", Table::right, Table::whole, 0, 2},
               {"verdict", Table::left, Table::wrap, 20}});
  std::set<std::string> shown;
  bool above = false;
  const Trial* winner = report.winner ? &report.trials[*report.winner] : nullptr;
  for (const Trial& trial : report.trials) {
    const bool failed = trial.verdict != Verdict::ok && trial.verdict != Verdict::unsupported;
    const bool won = winner == &trial;
    // The winner speaks for its strategy, the fastest variant for any other.
    const bool speaks = winner != nullptr && trial.variant.strategy == winner->variant.strategy
                            ? won
                            : shown.insert(trial.variant.strategy).second;
    if (!all_variants && (!speaks || trial.verdict == Verdict::unsupported) && !failed) continue;
    const std::optional<double> share = share_of_roof(report, trial);
    above = above || (share && is_above_the_roof(*share));
    table.add({to_string(trial.variant), trial.launch,
               trial.timing ? time_text(trial.timing->median) : "",
               trial.timing ? fixed(gb_per_s(report, trial), 1) : "",
               share ? fixed(100 * *share, 1) : "", predicted_text(trial), verdict_text(trial)},
              won);
  }
  for (const std::string& strategy : report.untried_strategies)
    table.add({strategy, "", "", "", "", "", "not tried"}, false);
  table.print(out, screen);
  if (above) out << '\n' << wrapped_text(kAboveTheRoof, screen.width) << '\n';
  if (const std::string note = predictions_note(report); !note.empty())
    out << '\n' << wrapped_text(note, screen.width) << '\n';
  if (!all_variants) print_declined(out, report, plugins, screen);
  out << '\n';
  print_sentences(out, report, screen);
}

}  // namespace xpose::app
