#include <array>
#include <ctime>

#include "bench/bench_run.hpp"
#include "bench/bench_table.hpp"
#include "output/markup.hpp"
#include "output/table.hpp"

namespace xpose::app {
namespace {

constexpr const char* kHeader =
    "| problem | roof GB/s | GB/s | % of roof | winner | estimate, % of winner | peers, % of roof "
    "|\n|:--|--:|--:|--:|:--|:--|:--|\n";

constexpr const char* kLegend =
    "The roof is the fastest copy of the same bytes in the same run. GB/s counts bytes read and "
    "bytes written. The estimate is what is chosen without a trial; 100 stands for the winner "
    "itself. "
    "Peers are transposes of other libraries.\n";

std::string peers_text(const CellResult& result) {
  std::string text;
  for (const PeerFigure& peer : result.peers)
    text += (text.empty() ? "" : ", ") + markdown_code(strategy_of(peer.variant)) + ' ' +
            (peer.has_time() ? fixed(100 * result.share_of(peer.seconds), 1)
                             : markdown_text(peer.verdict));
  return text;
}

// One that is the winner itself is its share alone.
std::string estimate_text(const CellResult& result) {
  if (!result.estimate) return {};
  if (result.estimate->variant == result.winner.variant) return "100";
  return markdown_code(result.estimate->variant) + ' ' + fixed(100 * result.estimate_share(), 1);
}

std::string row(const std::array<std::string, 7>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += cell.empty() ? " |" : ' ' + cell + " |";
  return text + '\n';
}

std::string row_of(const CellResult& result) {
  const std::string name = markdown_text(result.cell.name);
  if (!result.skipped.empty())
    return row({name, "", "", "skipped", markdown_text(result.skipped), "", ""});
  return row({name, fixed(result.gb_per_s(result.roof.seconds), 1),
              fixed(result.gb_per_s(result.winner.seconds), 1), fixed(100 * result.share(), 1),
              markdown_code(result.winner.variant), estimate_text(result), peers_text(result)});
}

std::string section_of(const BenchRun& run, const DeviceInfo& device) {
  std::string rows;
  bool above = false;
  for (const CellResult& result : run.results) {
    if (result.device != device.device) continue;
    rows += row_of(result);
    above = above || (result.skipped.empty() && is_above_the_roof(result.share()));
  }
  if (rows.empty()) return {};
  std::string title = to_string(device.device) + ": " + markdown_text(device.name);
  if (!device.driver.empty()) title += ", driver " + markdown_text(device.driver);
  const std::string means = mean_sentences(run, device.device);
  return "\n## " + title + "\n\n" + kHeader + rows +
         (above ? "\n" + std::string(kAboveTheRoof) + '\n' : "") +
         (means.empty() ? "" : '\n' + markdown_text(means) + '\n');
}

}  // namespace

std::string date_text(const BenchRun& run) {
  const std::time_t time = run.when;
  std::tm date{};
  std::array<char, 16> text{};
  gmtime_r(&time, &date);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &date)};
}

std::string to_markdown_text(const BenchRun& run) {
  std::string text = "# xpose bench\n\n* xpose " + std::string(version()) + "\n* finished on " +
                     date_text(run) + "\n* " + markdown_code(run.command) + "\n";
  for (const DeviceInfo& device : run.setup.devices) text += section_of(run, device);
  return text + '\n' + kLegend + '\n' + markdown_text(sentence(run)) + '\n';
}

}  // namespace xpose::app
