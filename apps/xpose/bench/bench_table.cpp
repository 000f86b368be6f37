#include "bench/bench_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>
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
               {"peers, % of roof", Table::left, Table::wrap, 20, 2}});
  bool any = false;
  bool above = false;
  for (const CellResult& result : run.results) {
    if (result.device != device.device) continue;
    any = true;
    if (!result.skipped.empty()) {
      table.add({result.cell.name, "", "", "", "skipped", mark(result.cell.reach),
                 mark(result.cell.aim), result.skipped, ""});
      continue;
    }
    table.add({result.cell.name, fixed(result.gb_per_s(result.roof.seconds), 1),
               fixed(result.gb_per_s(result.winner.seconds), 1), time_text(result.winner.seconds),
               fixed(100 * result.share(), 1), mark(result.cell.reach, result.reaches()),
               mark(result.cell.aim, result.aims()), result.winner.variant, peers_text(result)},
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
  std::map<std::string, std::vector<double>> groups;  // shares of those that were measured
  std::map<std::string, std::size_t> sizes;
  for (const CellResult& result : run.results) {
    if (result.device != device || result.cell.group.empty()) continue;
    ++sizes[result.cell.group];
    if (result.skipped.empty()) groups[result.cell.group].push_back(100 * result.share());
  }
  std::string text;
  for (const auto& [group, shares] : groups)
    text += (text.empty() ? "" : "\n") + group + ": " +
            fixed(std::accumulate(shares.begin(), shares.end(), 0.0) /
                      static_cast<double>(shares.size()),
                  1) +
            " % of the roof in the mean of " + std::to_string(shares.size()) + " of " +
            std::to_string(sizes[group]) + " problems, " + fixed(std::ranges::min(shares), 1) +
            " % at least.";
  return text;
}

void print_bench(std::ostream& out, const BenchRun& run, const Screen& screen) {
  for (const DeviceInfo& device : run.setup.devices) print_device(out, run, device, screen);
  out << wrapped_text(sentence(run), screen.width) << '\n';
}

}  // namespace xpose::app
