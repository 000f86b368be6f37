// `xpose route --plan-only`: the forecast of a route between two placements.
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/curves_document.hpp"
#include "options/placement_text.hpp"
#include "options/size_option.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace xpose::app {
namespace {

po::options_description route_options() {
  po::options_description options;
  options.add_options()("plan-only", "print what the route would do and run nothing")(
      "shape", po::value<std::string>()->value_name("RxC"), "rows and columns of the source")(
      "bytes", po::value<std::string>()->default_value("4")->value_name("N"),
      "bytes of an element: 1 to 256")(
      "from", po::value<std::string>()->value_name("PLACE"),
      "placement of the source: rows:64 or cols:64 are slabs on 64 ranks, rank:0 is one rank, "
      "128x128:8x8 are blocks of 128x128 over a grid of 8x8 ranks, as ScaLAPACK has them; :col "
      "behind it counts ranks down the grid's columns")(
      "to", po::value<std::string>()->value_name("PLACE"),
      "placement of the target; without this option it is stated as the source's")(
      "no-transpose", "the target is the matrix as it is, not its transpose")(
      "relabel", "give the target's cells to the ranks that hold most of them already")(
      "memory", po::value<std::string>()->default_value("256M")->value_name("SIZE"),
      "memory of a rank for messages, at least 1M, as RouteOptions::memory")(
      "ranks-per-host", po::value<std::string>()->value_name("N"),
      "ranks of one host; without this option, as in the curves, else 1")(
      "wire", po::value<std::string>()->default_value("100")->value_name("GBIT"),
      "Gbit a second that a host sends, and receives at the same time")(
      "curves", po::value<std::string>()->value_name("FILE"),
      "measured curves, as curves_json() writes them; without them no seconds are predicted but "
      "those of the wire alone")(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the figures as JSON");
  return options;
}

double wire_of(const po::variables_map& values) {
  constexpr double kBytesOfGbit = 1e9 / 8, kMost = 1e6;
  const auto& text = values["wire"].as<std::string>();
  double gbit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gbit);
  if (error != std::errc() || end != text.data() + text.size() || !(gbit >= 0.001 && gbit <= kMost))
    throw UsageError("--wire " + text + " is not a number of Gbit a second from 0.001 to 10^6");
  return gbit * kBytesOfGbit;
}

struct Question {
  std::int64_t rows, cols;
  std::string from_text, to_text;
  Placement from, to;
  ForecastOptions options;
};

const std::string& needed(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) throw UsageError("route --plan-only needs --" + option);
  const auto& text = values[option].as<std::string>();
  if (text.empty()) throw UsageError("--" + option + " needs a value, not an empty one");
  return text;
}

Question question_of(const po::variables_map& values) {
  const std::vector<std::int64_t> shape = parse_shape(needed(values, "shape"));
  if (shape.size() != 2)
    throw UsageError("a route has a matrix: --shape is rows by columns, such as 4096x1024");
  Question asked{shape[0], shape[1], needed(values, "from"), {}, {}, {}, {}};
  asked.to_text = values.count("to") != 0 ? values["to"].as<std::string>() : asked.from_text;
  ForecastOptions& options = asked.options;
  options.transpose = values.count("no-transpose") == 0;
  const std::uint32_t bytes = element_bytes_of(values);
  asked.from = parse_placement("from", asked.from_text, shape[0], shape[1], bytes);
  asked.to = parse_placement("to", asked.to_text, shape[options.transpose ? 1 : 0],
                             shape[options.transpose ? 0 : 1], bytes);
  options.memory = size_of(values, "memory", std::uint64_t{1} << 20);
  options.wire = wire_of(values);
  if (values.count("curves") != 0) options.curves = read_curves(needed(values, "curves"));
  options.ranks_per_host =
      values.count("ranks-per-host") == 0
          ? options.curves.ranks_per_host
          : static_cast<int>(whole_number_of(values, "ranks-per-host", 1, std::int64_t{1} << 20));
  if (values.count("relabel") != 0) asked.to = relabelled(asked.from, asked.to, options.transpose);
  return asked;
}

std::string size_text(std::int64_t bytes) { return bytes_text(static_cast<std::uint64_t>(bytes)); }

std::string seconds_text(double seconds) {
  return seconds >= 1 ? fixed(seconds, seconds < 100 ? 2 : 0) + " s" : time_text(seconds);
}

void print_notes(std::ostream& out, const Question& asked, const RouteForecast& found,
                 std::size_t width) {
  const auto say = [&](const std::string& text) { out << wrapped_text(text, width) << '\n'; };
  const RouteCurves& curves = asked.options.curves;
  const std::string wire = fixed(asked.options.wire * 8e-9, 1) + " Gbit/s of a host";
  if (found.passes > 1)
    say("Messages pass in chunks: each of a rank has an equal share of --memory " +
        size_text(static_cast<std::int64_t>(asked.options.memory)) + ".");
  if (found.most_host_bytes > 0)
    say("The wire alone: " + seconds_text(found.floor_seconds) + ", at " + wire + " (--wire).");
  if (curves.inside.empty() && curves.between.empty()) {
    say("No time is predicted: --curves names measured curves of the machine.");
    return;
  }
  say("Predicted: " + seconds_text(found.seconds) + ", by curves of " +
      std::to_string(curves.ranks) + " ranks.");
  if (found.most_host_bytes > 0 && curves.between.empty())
    say("The curves are of one host. Between hosts, --wire is added to them.");
}

void print(std::ostream& out, const Question& asked, const RouteForecast& found,
           const Screen& screen) {
  const RouteFigures& figures = found.figures;
  Table table({{"", Table::left}, {"all ranks", Table::right}, {"most of one", Table::right}});
  table.add({"messages", std::to_string(figures.messages), std::to_string(figures.most_messages)});
  table.add({"bytes sent", size_text(figures.bytes_sent), size_text(figures.most_bytes)});
  table.add({"bytes kept", size_text(figures.bytes_kept), "-"});
  table.add({"bytes of a host's wire", "-", size_text(found.most_host_bytes)});
  table.add({"buffers", "-", size_text(static_cast<std::int64_t>(found.most_buffer_bytes))});
  table.add({"tiles", (found.passes > 1 ? ">= " : "") + std::to_string(found.tiles), "-"});
  table.add({"passes of a message", "-", std::to_string(found.passes)});
  const std::string title = std::to_string(asked.rows) + 'x' + std::to_string(asked.cols) + " of " +
                            std::to_string(asked.from.element_bytes) +
                            (asked.from.element_bytes == 1 ? " byte, " : " bytes, ") +
                            asked.from_text + " to " + asked.to_text +
                            (asked.options.transpose ? ", transposed" : ", as it is");
  out << wrapped_text(title, screen.width) << "\n\n";
  table.print(out, screen);
  out << '\n';
  print_notes(out, asked, found, screen.width);
}

Json document_of(const Question& asked, const RouteForecast& found) {
  const RouteFigures& figures = found.figures;
  const bool has_curves =
      !asked.options.curves.inside.empty() || !asked.options.curves.between.empty();
  return {{"schema", "xpose.route/1"},
          {"rows", asked.rows},
          {"cols", asked.cols},
          {"element_bytes", asked.from.element_bytes},
          {"from", asked.from_text},
          {"to", asked.to_text},
          {"transpose", asked.options.transpose},
          {"memory", asked.options.memory},
          {"ranks_per_host", asked.options.ranks_per_host},
          {"wire_bytes_per_second", asked.options.wire},
          {"messages", figures.messages},
          {"most_messages", figures.most_messages},
          {"bytes_sent", figures.bytes_sent},
          {"bytes_kept", figures.bytes_kept},
          {"most_bytes", figures.most_bytes},
          {"most_host_bytes", found.most_host_bytes},
          {"most_buffer_bytes", found.most_buffer_bytes},
          {"tiles", found.tiles},
          {"passes", found.passes},
          {"floor_seconds", found.floor_seconds},
          {"seconds", has_curves ? Json(found.seconds) : Json(nullptr)}};
}

}  // namespace

int route(const Arguments& arguments) {
  const auto values =
      parse("route --plan-only --shape RxC --from PLACE",
            "Prints what a route would do that brings a matrix from one placement over ranks into "
            "another, transposed or as it is: messages, bytes, memory, and seconds by curves that "
            "were measured. Routes run inside a program of MPI, by Engine::route().",
            route_options(), {}, arguments);
  if (!values) return done;
  if (values->count("plan-only") == 0)
    throw UsageError(
        "a route runs inside a program of MPI, as \"Many ranks\" in core/README.md shows; add "
        "--plan-only to print what one would do");
  JsonOutput json(output_name(*values, "json"));
  const Question asked = question_of(*values);
  const RouteForecast found = forecast(asked.from, asked.to, asked.options);
  json.write(document_of(asked, found));
  if (!json.is_stdout()) print(std::cout, asked, found, screen_of(STDOUT_FILENO));
  return done;
}

}  // namespace xpose::app
