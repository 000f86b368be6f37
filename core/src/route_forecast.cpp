#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "exchange/message_kinds.hpp"
#include "reported.hpp"
#include "route/route_run.hpp"
#include "xpose/forecast.hpp"

namespace xpose {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

void check(const std::vector<CurvePoint>& points, const std::string& name) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].seconds >= 0) || !std::isfinite(points[i].seconds))
      refuse("a point of the curve '" + name + "' has no seconds of 0 or more");
    if (points[i].bytes == 0 || (i > 0 && points[i].bytes <= points[i - 1].bytes))
      refuse("the points of the curve '" + name +
             "' are not in the order of their bytes, from 1 on");
  }
}

void check(const ForecastOptions& options) {
  const RouteCurves& curves = options.curves;
  if (options.ranks_per_host < 1)
    refuse("a host has 1 rank or more, not " + std::to_string(options.ranks_per_host));
  if (!(options.wire > 0) || !std::isfinite(options.wire))
    refuse("the wire of a host moves more than 0 bytes a second");
  check(curves.inside, "inside");
  check(curves.between, "between");
  check(curves.kept, "kept");
  check(curves.runs, "runs");
  if (!(curves.crowding >= 1) || !std::isfinite(curves.crowding))
    refuse("the crowding of a host is 1 or more");
  if (!(curves.seconds_per_rank >= 0) || !std::isfinite(curves.seconds_per_rank))
    refuse("the roll call takes 0 seconds or more for each other rank");
}

double at(const std::vector<CurvePoint>& points, double bytes) {
  if (points.empty()) return 0;
  if (bytes <= static_cast<double>(points.front().bytes)) return points.front().seconds;
  const auto above = std::ranges::upper_bound(
      points, bytes, {}, [](const CurvePoint& point) { return static_cast<double>(point.bytes); });
  const auto high = above == points.end() ? points.end() - 1 : above;
  const CurvePoint low = high == points.begin() ? CurvePoint{} : *(high - 1);
  const double slope = (high->seconds - low.seconds) / static_cast<double>(high->bytes - low.bytes);
  return std::max(low.seconds + slope * (bytes - static_cast<double>(low.bytes)), 0.0);
}

// All that one rank has to do.
struct Load {
  double inside = 0;   // seconds of both directions, half at each end
  double between = 0;  // seconds of the longer direction
  double own = 0;      // seconds of elements that stay and of the roll call
  double seconds() const { return inside + between + own; }
};

class Forecast {
 public:
  Forecast(const Exchange& exchange, const ForecastOptions& options)
      : exchange_(exchange), options_(options), ranks_(exchange.ranks()), kinds_(exchange) {
    found_.figures = exchange.figures();
    most_ = most_chunk_bytes(options.memory, found_.figures);
  }

  RouteForecast all();

 private:
  struct Cost {
    std::int64_t bytes, chunks, chunk_bytes, packing, unpacking;
    double inside, between;
  };
  const Cost& cost(std::size_t kind);
  double short_runs(std::int64_t bytes, std::int64_t run) const;
  double between(double bytes) const;
  Load load(int rank, const MessageKinds::Host& host);
  double kept(std::size_t kind);

  const Exchange& exchange_;
  const ForecastOptions& options_;
  int ranks_;
  std::int64_t most_ = 0;
  MessageKinds kinds_;
  std::unordered_map<std::size_t, Cost> costs_;
  RouteForecast found_;
  std::int64_t host_sends_ = 0, host_receives_ = 0;
};

// The runs of measured messages are sides of squares, so longer ones are not slower.
double Forecast::short_runs(std::int64_t bytes, std::int64_t run) const {
  const double element = exchange_.element_bytes();
  const double long_run = std::sqrt(static_cast<double>(bytes) * element);
  const std::vector<CurvePoint>& runs = options_.curves.runs;
  const double last = runs.empty() ? 0 : static_cast<double>(runs.back().bytes);
  const auto more = [&](double length) { return length >= last ? 0 : at(runs, length); };
  return static_cast<double>(bytes) *
         std::max(more(static_cast<double>(run) * element) - more(long_run), 0.0);
}

double Forecast::between(double bytes) const {
  const RouteCurves& curves = options_.curves;
  if (!curves.between.empty()) return at(curves.between, bytes);
  return at(curves.inside, bytes) + bytes * options_.ranks_per_host / options_.wire;
}

const Forecast::Cost& Forecast::cost(std::size_t kind) {
  const auto [place, is_new] = costs_.try_emplace(kind);
  Cost& cost = place->second;
  if (!is_new) return cost;
  const MessageKind message = kinds_.at(kind);
  const std::int64_t line_bytes = message.line * exchange_.element_bytes();
  const std::int64_t lines = std::min(lines_in(most_, line_bytes), message.lines);
  const std::int64_t rest = message.lines % lines;
  cost.chunk_bytes = lines * line_bytes;
  cost.bytes = message.lines * line_bytes;
  cost.chunks = message.lines / lines + (rest > 0 ? 1 : 0);
  const auto problems = [&](const MessageKind::Problems& count) {
    return count.along * std::max(count.across, cost.chunks);
  };
  cost.packing = problems(message.packing);
  cost.unpacking = problems(message.unpacking);
  const std::int64_t whole_chunks = message.lines / lines;
  const auto seconds = [&](const auto& curve) {
    return static_cast<double>(whole_chunks) * curve(cost.chunk_bytes) +
           (rest > 0 ? curve(rest * line_bytes) : 0.0);
  };
  const double more =
      short_runs(cost.bytes, message.from_run) + short_runs(cost.bytes, message.to_run);
  cost.inside = more + seconds([&](auto bytes) {
                  return at(options_.curves.inside, static_cast<double>(bytes));
                });
  cost.between = more + seconds([&](auto bytes) { return between(static_cast<double>(bytes)); });
  return cost;
}

double Forecast::kept(std::size_t kind) {
  const MessageKind message = kinds_.at(kind);
  const std::int64_t line_bytes = message.line * exchange_.element_bytes();
  const std::int64_t lines = lines_in(kMovedAtOnce, line_bytes);
  const std::int64_t parts = (message.lines + lines - 1) / lines;
  found_.tiles += message.moving.along * std::max(message.moving.across, parts);
  const std::int64_t bytes = message.lines * line_bytes;
  return at(options_.curves.kept, static_cast<double>(bytes)) +
         short_runs(bytes, std::min(message.from_run, message.to_run));
}

Load Forecast::load(int rank, const MessageKinds::Host& host) {
  Load load;
  std::int64_t buffers = 0;
  const auto add = [&](const std::vector<MessageKinds::Number>& numbers, bool is_sent) {
    double seconds = 0;
    for (const auto& [kind, inside, between] : numbers) {
      const Cost& one = cost(kind);
      buffers += (inside + between) * one.chunk_bytes;
      found_.tiles += (inside + between) * (is_sent ? one.packing : one.unpacking);
      found_.passes = std::max(found_.passes, one.chunks);
      (is_sent ? host_sends_ : host_receives_) += between * one.bytes;
      load.inside += static_cast<double>(inside) * one.inside / 2;
      seconds += static_cast<double>(between) * one.between;
    }
    load.between = std::max(load.between, seconds);
  };
  add(kinds_.sends(rank, host), true);
  add(kinds_.receives(rank, host), false);
  found_.most_buffer_bytes =
      std::max(found_.most_buffer_bytes, static_cast<std::uint64_t>(buffers));
  load.own = options_.curves.seconds_per_rank * (ranks_ - 1);
  if (const auto own = kinds_.kept(rank)) load.own += kept(*own);
  return load;
}

RouteForecast Forecast::all() {
  for (int first = 0; first < ranks_; first += options_.ranks_per_host) {
    const int end = static_cast<int>(
        std::min<std::int64_t>(std::int64_t{first} + options_.ranks_per_host, ranks_));
    double sum = 0, most = 0;
    host_sends_ = host_receives_ = 0;
    const MessageKinds::Host host = kinds_.host(first, end);
    for (int rank = first; rank < end; ++rank) {
      const double seconds = load(rank, host).seconds();
      sum += seconds;
      most = std::max(most, seconds);
    }
    found_.most_host_bytes = std::max({found_.most_host_bytes, host_sends_, host_receives_});
    // A rank that goes on alone is faster than one among others.
    found_.seconds =
        std::max({found_.seconds, sum / (end - first), most / options_.curves.crowding});
    if (end == ranks_) break;
  }
  found_.floor_seconds = static_cast<double>(found_.most_host_bytes) / options_.wire;
  const RouteCurves& curves = options_.curves;
  if (curves.inside.empty() && curves.between.empty())
    found_.seconds = 0;
  else if (curves.between.empty())
    found_.seconds = std::max(found_.seconds, found_.floor_seconds);
  return found_;
}

}  // namespace

RouteForecast forecast(const Placement& from, const Placement& to, const ForecastOptions& options) {
  return reported([&] {
    check(options);
    check_named(from);
    check_named(to);
    const Exchange exchange(from, to, options.transpose);
    return Forecast(exchange, options).all();
  });
}

}  // namespace xpose
