#include <sstream>

#include "bench/bench_run.hpp"

namespace xpose::app {
namespace {

// As RFC 4180 has it: quoted where it must be.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string made = "\"";
  for (const char c : text) made += c == '"' ? std::string("\"\"") : std::string(1, c);
  return made + '"';
}

std::string exact(double value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

const char* yes(bool value) { return value ? "yes" : "no"; }

std::string figure(int mark) { return mark == 0 ? "" : std::to_string(mark); }

}  // namespace

std::string to_csv_text(const BenchRun& run) {
  std::string text =
      "device,cell,element_bytes,bytes,roof,roof_seconds,winner,launch,seconds,spread,"
      "share_of_roof,reach,reaches,aim,aims,estimate,estimate_share,best_peer,best_peer_share,"
      "skipped\n";
  for (const CellResult& result : run.results) {
    const bool measured = result.skipped.empty();
    const bool marked = measured && result.cell.has_marks();
    const bool estimated = measured && result.estimate;
    const PeerFigure* peer = measured ? result.best_peer() : nullptr;
    const std::vector<std::string> fields = {
        to_string(result.device),
        result.cell.name,
        std::to_string(result.cell.problem.element_bytes),
        measured ? std::to_string(result.bytes) : "",
        measured ? result.roof.variant : "",
        measured ? exact(result.roof.seconds) : "",
        measured ? result.winner.variant : "",
        measured ? result.winner.launch : "",
        measured ? exact(result.winner.seconds) : "",
        measured ? exact(result.winner.spread) : "",
        measured ? exact(result.share()) : "",
        figure(result.cell.reach),
        marked ? yes(result.reaches()) : "",
        figure(result.cell.aim),
        marked ? yes(result.aims()) : "",
        estimated ? result.estimate->variant : "",
        estimated ? exact(result.estimate_share()) : "",
        peer != nullptr ? peer->variant : "",
        peer != nullptr ? exact(result.share_of(peer->seconds)) : "",
        result.skipped};
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ",") + quoted(fields[i]);
    text += '\n';
  }
  return text;
}

}  // namespace xpose::app
