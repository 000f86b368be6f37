#include "table.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>

#include "screen.hpp"

namespace xpose::app {

void Table::add(std::vector<std::string> cells, bool emphasised) {
  rows_.push_back({std::move(cells), emphasised});
}

void Table::print(std::ostream& out, bool bold) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].title.size());
    for (const Row& row : rows_) widths[c] = std::max(widths[c], row.cells.at(c).size());
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string gap(widths[c] - cell.size(), ' ');
      text += (c == 0 ? "" : "  ") + (columns_[c].align == right ? gap + cell : cell + gap);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
  };
  out << line([&](std::size_t c) -> const std::string& { return columns_[c].title; }) << '\n';
  for (const Row& row : rows_) {
    const std::string text =
        line([&](std::size_t c) -> const std::string& { return row.cells[c]; });
    out << (bold && row.emphasised ? "\033[1m" + text + "\033[0m" : text) << '\n';
  }
}

bool stdout_takes_bold() { return screen_of(STDOUT_FILENO).bold; }

std::string fixed(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 2) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, 4) + " ms";
  return fixed(seconds, 3) + " s";
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fixed(value, unit == 0 ? 0 : 1) + ' ' + units.at(unit);
}

namespace {

std::string verdict_text(const Trial& trial) {
  if (trial.verdict == Verdict::ok)
    return trial.is_copy ? "ok (copy)" : trial.is_numeric ? "ok (numeric)" : "ok";
  const std::string name(to_string(trial.verdict));
  return trial.detail.empty() ? name : name + ": " + trial.detail;
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

}  // namespace

std::string sentence(const TuneReport& report) {
  if (report.bytes == 0) return "The problem is empty: nothing to do.";
  if (!report.winner && report.interrupted)
    return "Interrupted before any strategy was proven; nothing was chosen.";
  if (!report.winner) return "No strategy was right on this problem; nothing was chosen.";
  std::ostringstream out;
  const Trial& winner = report.trials[*report.winner];
  out << to_string(winner.variant) << " won";
  if (report.runner_up) {
    const std::string other = to_string(report.trials[*report.runner_up].variant);
    if (report.margin < 0.02)
      out << " (as fast as " << other << " within 2 %)";
    else
      out << " by " << percent(report.margin) << " over " << other;
  }
  if (report.roof) {
    const Trial& roof = report.trials[*report.roof];
    out << ", at " << percent(roof.timing->median / winner.timing->median) << " of the roof ("
        << to_string(roof.variant) << ", "
        << fixed(static_cast<double>(report.bytes) / roof.timing->median * 1e-9, 1) << " GB/s)";
  }
  out << '.';
  return out.str();
}

namespace {

void print_sentences(std::ostream& out, const TuneReport& report) {
  out << sentence(report) << '\n';
  if (!report.winner) return;
  if (report.untried != 0)
    out << report.untried
        << " variants were not tried: they are predicted to be far behind, or their strategy's "
           "first "
        << "took over 3 times the fastest, or the budget ran out; see --strategy and --budget.\n";
  if (report.interrupted) out << "Interrupted: the figures are of what was finished.\n";
}

}  // namespace

void print_report(std::ostream& out, const TuneReport& report, bool all_variants, bool bold) {
  Table table({{"variant"},
               {"launch"},
               {"time", Table::right},
               {"GB/s", Table::right},
               {"% of roof", Table::right},
               {"verdict"}});
  std::set<std::string> shown;
  const Trial* winner = report.winner ? &report.trials[*report.winner] : nullptr;
  for (const Trial& trial : report.trials) {
    const bool failed = trial.verdict != Verdict::ok && trial.verdict != Verdict::unsupported;
    const bool won = winner == &trial;
    // The winner speaks for its strategy, the fastest variant for any other.
    const bool speaks = winner != nullptr && trial.variant.strategy == winner->variant.strategy
                            ? won
                            : shown.insert(trial.variant.strategy).second;
    if (!all_variants && !speaks && !failed) continue;
    std::array<std::string, 3> figures;
    if (trial.timing) {
      const double seconds = trial.timing->median;
      figures = {
          time_text(seconds), fixed(static_cast<double>(report.bytes) / seconds * 1e-9, 1),
          report.roof ? fixed(100 * report.trials[*report.roof].timing->median / seconds, 1) : ""};
    }
    table.add({to_string(trial.variant), trial.launch, figures[0], figures[1], figures[2],
               verdict_text(trial)},
              won);
  }
  for (const std::string& strategy : report.untried_strategies)
    table.add({strategy, "", "", "", "", "not tried"}, false);
  table.print(out, bold);
  out << '\n';
  print_sentences(out, report);
}

}  // namespace xpose::app
