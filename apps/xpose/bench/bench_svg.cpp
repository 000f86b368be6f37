// The picture of a run. Text is placed by counting characters, since no font is at hand; columns
// are wide enough for the names of the standard table and of the strategies here.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/bench_run.hpp"
#include "output/markup.hpp"
#include "output/table.hpp"

namespace xpose::app {
namespace {

constexpr int kWidth = 736;
constexpr int kLabels = 12;  // x of the problems' names
constexpr int kBars = 344;   // x of 0 %
constexpr int kBarsEnd = 574;
constexpr int kShares = 618;  // x where the winners' shares end
constexpr int kWinners = 626;
constexpr int kRow = 19;  // height of a row, and of its bar
constexpr int kBar = 11;
constexpr int kHead = 92;  // of a device: title, legend and the axis
constexpr int kFoot = 14;
constexpr std::size_t kLongestLabel = 52;  // characters
constexpr std::size_t kLongestWinner = 18;

// Each colour once for light and once for dark pages.
constexpr const char* kStyle = R"(<style>
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #14181d; }
.title { font-size: 15px; font-weight: 600; }
.soft { fill: #525b66; }
.small { font-size: 11px; }
.middle { text-anchor: middle; }
.share { font-weight: 600; text-anchor: end; }
.page { fill: #ffffff; }
.bar { fill: #4a8fdb; }
.grid { stroke: #dcdfdc; }
.roof { stroke: #a8410a; stroke-width: 1.5; }
.peer { fill: #a8410a; stroke: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #eceff3; }
  .soft { fill: #a9b3c0; }
  .page { fill: #0e1114; }
  .bar { fill: #2f6db5; }
  .grid { stroke: #2f3740; }
  .roof { stroke: #ffa56b; }
  .peer { fill: #ffa56b; stroke: #0e1114; }
}
</style>
)";

std::string text_at(double x, double y, const std::string& kind, const std::string& text) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" class=\"" + kind + "\">" +
         xml_text(text) + "</text>\n";
}

std::string line_at(double x, double y, double height, const std::string& kind) {
  return "<path d=\"M" + fixed(x, 1) + ' ' + fixed(y, 1) + 'v' + fixed(height, 1) + "\" class=\"" +
         kind + "\"/>\n";
}

// At most so many characters.
std::string cut(const std::string& text, std::size_t most) {
  if (width_of(text) <= most) return text;
  return std::string(head_of(text, most - 1)) + "\u2026";
}

// A circle, a diamond, a triangle or a square around a point: one a peer.
std::string marker(std::size_t peer, double x, double y) {
  constexpr std::array<const char*, 4> kShapes = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                                                  "m0 -5l5 5l-5 5l-5 -5z", "m0 -5l5 9h-10z",
                                                  "m-4 -4h8v8h-8z"};
  return "<path d=\"M" + fixed(x, 1) + ' ' + fixed(y, 1) + kShapes.at(peer % kShapes.size()) +
         "\" class=\"peer\"/>\n";
}

// One device's results, from a height on.
class Chart {
 public:
  Chart(const BenchRun& run, const DeviceInfo& device, int top)
      : top_(top),
        title_(device.name),
        about_("xpose " + std::string(version()) + ", " + date_text(run) +
               ". % of the fastest copy of the same bytes; longer is faster.") {
    for (const CellResult& result : run.results)
      if (result.device == device.device) add(result);
  }

  bool is_empty() const { return results_.empty(); }
  int height() const { return kHead + kRow * static_cast<int>(results_.size()) + kFoot; }
  std::string text() const;

 private:
  void add(const CellResult& result);
  double x_of(double share) const { return kBars + (kBarsEnd - kBars) * share / most_; }
  std::size_t number_of(const PeerFigure& peer) const {
    return static_cast<std::size_t>(std::ranges::find(peers_, strategy_of(peer.variant)) -
                                    peers_.begin());
  }
  std::string legend() const;
  std::string axis() const;
  std::string row(const CellResult& result, double y) const;

  int top_;
  std::string title_;
  std::string about_;
  std::vector<const CellResult*> results_;
  std::vector<std::string> peers_;
  double most_ = 1;  // share at the end of the axis
};

void Chart::add(const CellResult& result) {
  results_.push_back(&result);
  if (!result.skipped.empty()) return;
  const auto make_room = [&](double share) { most_ = std::max(most_, std::ceil(10 * share) / 10); };
  make_room(result.share());
  for (const PeerFigure& peer : result.peers) {
    if (!peer.has_time()) continue;
    make_room(result.share_of(peer.seconds));
    if (number_of(peer) == peers_.size()) peers_.push_back(strategy_of(peer.variant));
  }
}

std::string Chart::legend() const {
  const double y = top_ + 62;
  std::string text = "<rect x=\"12\" y=\"" + fixed(y - 9, 1) +
                     "\" width=\"22\" height=\"10\" class=\"bar\"/>\n" +
                     text_at(40, y, "", "winner");
  double x = 100;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    text += marker(i, x, y - 4) + text_at(x + 10, y, "", peers_[i]);
    x += 30 + 7.0 * static_cast<double>(width_of(peers_[i]));
  }
  return text;
}

std::string Chart::axis() const {
  std::string text;
  const double y = top_ + kHead;
  const auto mark = [&](int percent, const std::string& kind) {
    const double x = x_of(percent / 100.0);
    text += line_at(x, y - 4, height() - kHead - kFoot + 8, kind) +
            text_at(x, y - 9, "soft small middle", std::to_string(percent));
  };
  int step = 25;
  while (100 * most_ > 6 * step) step *= 2;
  for (int percent = 0; percent <= 100 * most_ + 0.5; percent += step)
    if (percent != 100) mark(percent, "grid");
  mark(100, "roof");
  return text;
}

std::string Chart::row(const CellResult& result, double y) const {
  const double middle = y + kRow / 2.0;
  const double base = middle + 4;
  std::string text = text_at(kLabels, base, "", cut(result.cell.name, kLongestLabel));
  if (!result.skipped.empty()) return text + text_at(kBars + 6, base, "soft", "skipped");
  std::string words =
      result.cell.name + ": " + result.winner.variant + ' ' + percent(result.share());
  text += "<rect x=\"" + std::to_string(kBars) + "\" y=\"" + fixed(middle - kBar / 2.0, 1) +
          "\" width=\"" + fixed(x_of(result.share()) - kBars, 1) + "\" height=\"" +
          std::to_string(kBar) + "\" class=\"bar\"/>\n";
  for (const PeerFigure& peer : result.peers) {
    if (!peer.has_time()) continue;
    const double share = result.share_of(peer.seconds);
    text += marker(number_of(peer), x_of(share), middle);
    words += ", " + strategy_of(peer.variant) + ' ' + percent(share);
  }
  text += text_at(kShares, base, "share", fixed(100 * result.share(), 1));
  text += text_at(kWinners, base, "soft small",
                  cut(strategy_of(result.winner.variant), kLongestWinner));
  return "<g><title>" + xml_text(words) + "</title>\n" + text + "</g>\n";
}

std::string Chart::text() const {
  std::string text = text_at(kLabels, top_ + 22, "title", title_) +
                     text_at(kLabels, top_ + 40, "soft", about_) + legend() + axis();
  double y = top_ + kHead;
  for (const CellResult* result : results_) {
    text += row(*result, y);
    y += kRow;
  }
  return text;
}

}  // namespace

std::string to_svg_text(const BenchRun& run) {
  std::string charts;
  int height = 0;
  for (const DeviceInfo& device : run.setup.devices) {
    const Chart chart(run, device, height);
    if (chart.is_empty()) continue;
    charts += chart.text();
    height += chart.height();
  }
  const std::string size = std::to_string(kWidth) + ' ' + std::to_string(std::max(height, kFoot));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
         "\" role=\"img\">\n<title>Winners and peers as shares of the roof</title>\n<desc>" +
         xml_text(run.command) + "</desc>\n" + kStyle +
         "<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n" + charts + "</svg>\n";
}

}  // namespace xpose::app
