#include "bench/bench_table.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>

#include "output/table.hpp"

namespace xpose::app {
namespace {

// The share that is wanted, and whether it is there.
std::string mark(int wanted, bool met) {
  if (wanted == 0) return "-    ";
  return std::to_string(wanted) + (met ? " yes" : "  no");
}
std::string mark(int wanted) { return (wanted == 0 ? "-" : std::to_string(wanted)) + "    "; }

std::string peers_text(const CellResult& result) {
  std::string text;
  for (const PeerFigure& peer : result.peers)
    text += (text.empty() ? "" : ", ") + strategy_of(peer.variant) + ' ' +
            (peer.has_time() ? fixed(100 * result.share_of(peer.seconds), 1) : peer.verdict);
  return text;
}

using Measured = std::vector<const CellResult*>;

// Of the roof, of those of so many cells that were measured.
std::string shares_text(const Measured& results, std::size_t cells) {
  double sum = 0;
  double least = results.front()->share();
  for (const CellResult* result : results) {
    sum += result->share();
    least = std::min(least, result->share());
  }
  return fixed(100 * sum / static_cast<double>(results.size()), 1) +
         " % of the roof in the mean of " + std::to_string(results.size()) + " of " +
         std::to_string(cells) + " problems, " + fixed(100 * least, 1) + " % at least";
}

// Of all that have an estimate; empty where none has.
std::string estimates_text(const Measured& results) {
  constexpr double kNear = 0.9;
  std::size_t count = 0;
  std::size_t near_ones = 0;
  const CellResult* worst = nullptr;
  for (const CellResult* result : results) {
    if (!result->estimate) continue;
    ++count;
    near_ones += result->estimate_share() >= kNear ? 1 : 0;
    if (worst == nullptr || result->estimate_share() < worst->estimate_share()) worst = result;
  }
  if (worst == nullptr) return {};
  return std::to_string(near_ones) + " of " + std::to_string(count) +
         " estimates within 10 % of the winner, " + fixed(100 * worst->estimate_share(), 1) +
         " % of it at least (" + worst->cell.name + ')';
}

void print_device(std::ostream& out, const BenchRun& run, const DeviceInfo& device,
                  const Screen& screen) {
  Table table({{"problem", Table::left, Table::wrap, 24},
               {"roof GB/s", Table::right, Table::whole, 0, 3},
               {"GB/s", Table::right},
               {"time", Table::right, Table::whole, 0, 1},
               {"% of roof", Table::right},
               {"reach", Table::right},
               {"aim", Table::right, Table::whole, 0, 4},
               {"winner", Table::left, Table::variants, 20},
               {"of winner", Table::right, Table::whole, 0, 6},
               {"estimate", Table::left, Table::variants, 20, 5},
               {"peers, % of roof", Table::left, Table::wrap, 20, 2}});
  bool any = false;
  bool above = false;
  for (const CellResult& result : run.results) {
    if (result.device != device.device) continue;
    any = true;
    if (!result.skipped.empty()) {
      table.add({result.cell.name, "", "", "", "skipped", mark(result.cell.reach),
                 mark(result.cell.aim), result.skipped, "", "", ""});
      continue;
    }
    table.add({result.cell.name, fixed(result.gb_per_s(result.roof.seconds), 1),
               fixed(result.gb_per_s(result.winner.seconds), 1), time_text(result.winner.seconds),
               fixed(100 * result.share(), 1), mark(result.cell.reach, result.reaches()),
               mark(result.cell.aim, result.aims()), result.winner.variant,
               result.estimate ? fixed(100 * result.estimate_share(), 1) : "",
               result.estimate ? result.estimate->variant : "", peers_text(result)},
              result.cell.has_marks() && !result.reaches());
    above = above || is_above_the_roof(result.share());
  }
  if (!any) return;
  out << wrapped_text(to_string(device.device) + ": " + device.name, screen.width) << '\n';
  table.print(out, screen);
  if (above) out << wrapped_text(kAboveTheRoof, screen.width) << '\n';
  if (const std::string means = mean_sentences(run, device.device); !means.empty())
    out << wrapped_text(means, screen.width) << '\n';
  out << '\n';
}

}  // namespace

std::string sentence(const BenchRun& run) {
  std::size_t measured = 0;
  std::size_t marked = 0;  // of them
  std::size_t reached = 0;
  std::size_t aimed = 0;
  const CellResult* worst = nullptr;  // by the distance to its mark
  const auto excess = [](const CellResult& result) {
    return 100 * result.share() - result.cell.reach;
  };
  for (const CellResult& result : run.results) {
    if (!result.skipped.empty()) continue;
    ++measured;
    if (!result.cell.has_marks()) continue;
    ++marked;
    reached += result.reaches() ? 1 : 0;
    aimed += result.aims() ? 1 : 0;
    if (worst == nullptr || excess(result) < excess(*worst)) worst = &result;
  }
  std::ostringstream out;
  if (measured == 0) {
    out << "No cell was measured";
  } else if (worst == nullptr) {
    out << "No measured cell has a mark";
  } else {
    out << reached << " of " << marked << " cells reach their mark, " << aimed
        << " their aim; the worst is \"" << worst->cell.name << "\" on " << to_string(worst->device)
        << ", at " << fixed(100 * worst->share(), 1) << " % of the roof with a mark of "
        << worst->cell.reach << " %";
  }
  const auto count = [&](std::size_t cells, const char* what) {
    if (cells != 0) out << "; " << cells << (cells == 1 ? " was " : " were ") << what;
  };
  if (marked != 0) count(measured - marked, "measured without a mark");
  count(run.results.size() - measured, "skipped");
  count(run.cells - run.results.size(), "not reached");
  out << '.';
  return out.str();
}

std::string mean_sentences(const BenchRun& run, Device device) {
  struct Group {
    std::size_t cells = 0;
    Measured measured;
  };
  std::map<std::string, Group> groups;
  Measured all;
  for (const CellResult& result : run.results) {
    if (result.device != device) continue;
    if (result.skipped.empty()) all.push_back(&result);
    if (result.cell.group.empty()) continue;
    Group& group = groups[result.cell.group];
    ++group.cells;
    if (result.skipped.empty()) group.measured.push_back(&result);
  }
  std::string text;
  for (const auto& [name, group] : groups) {
    if (group.measured.empty()) continue;
    const std::string estimates = estimates_text(group.measured);
    text += (text.empty() ? "" : "\n") + name + ": " + shares_text(group.measured, group.cells) +
            (estimates.empty() ? "." : "; " + estimates + '.');
  }
  if (const std::string estimates = estimates_text(all); !estimates.empty())
    text += (text.empty() ? "" : "\n") + std::string("All: ") + estimates + '.';
  return text;
}

void print_bench(std::ostream& out, const BenchRun& run, const Screen& screen) {
  for (const DeviceInfo& device : run.setup.devices) print_device(out, run, device, screen);
  out << wrapped_text(sentence(run), screen.width) << '\n';
}

}  // namespace xpose::app
