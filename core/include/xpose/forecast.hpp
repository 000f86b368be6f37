// The cost of a route before there are ranks for it: messages, bytes and memory by counting, and
// seconds from curves that routes have measured. The cost model is in core/README.md, "Many ranks".
//
//   // In a program of MPI, on every rank, once for a machine:
//   xpose::CurveOptions options;
//   options.ranks = xpose::mpi_ranks(MPI_COMM_WORLD);
//   xpose::RouteCurves curves = xpose::measure_curves(engine, options);
//
//   // Anywhere, for any number of ranks:
//   xpose::RouteForecast coming = xpose::forecast(from, to, {.curves = curves});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <xpose/route.hpp>

namespace xpose {

struct CurvePoint {
  std::uint64_t bytes = 0;
  double seconds = 0;
  bool operator==(const CurvePoint&) const = default;
};

// Seconds that parts of a route take while all ranks are at work. Points are in the order of their
// bytes, each of more bytes than the one before. Between two of them a curve is straight; beyond
// the last it goes on as between the last two, or in proportion where there is one. Below the
// first it is flat.
struct RouteCurves {
  int ranks = 0;           // that measured them
  int ranks_per_host = 1;  // of them
  // One message to a rank of the same host, or of another, and one from it: packed in long runs,
  // sent, received and unpacked.
  std::vector<CurvePoint> inside = {}, between = {};
  std::vector<CurvePoint> kept = {};  // elements that stay on a rank, in long runs
  // By the bytes of a run: seconds that each byte that is moved once takes more than in the longest
  // runs.
  std::vector<CurvePoint> runs = {};
  double seconds_per_rank = 0;  // of the roll call, for each other rank
  // Seconds of a rank's own work while all ranks of its host work, over those while it works alone:
  // 1 where each has a processor and memory of its own.
  double crowding = 1;
  bool operator==(const RouteCurves&) const = default;
};

struct CurveOptions {
  std::shared_ptr<Ranks> ranks = {};
  // In place of `ranks`: curves of routes between arrays on devices. A forecast by them states half
  // of RouteOptions::memory, since a chunk of a message has two places on a device; for devices
  // that reach each other's arrays, which cut no message, as much as holds all messages.
  std::shared_ptr<DeviceRanks> devices = {};
  int ranks_per_host = 1;  // ranks 0 to ranks_per_host - 1 are on one host, and so on
  std::uint32_t element_bytes = 8;
  std::uint64_t memory = std::uint64_t{128} << 20;  // most bytes of one rank's array
};

// Measures the curves by routes of all ranks, for some seconds. Every rank calls it with the same
// options and gets its own times, which differ little: keep those of one. Throws Error invalid for
// options that make no curve, else as Engine::route() and Route::run().
XPOSE_API RouteCurves measure_curves(Engine& engine, const CurveOptions& options);

// The curves as a document of schema "xpose.curves/1", which `xpose route --curves` reads.
// [any thread]
XPOSE_API std::string curves_json(const RouteCurves& curves);

struct ForecastOptions {
  bool transpose = true;                            // as in RouteOptions
  std::uint64_t memory = std::uint64_t{256} << 20;  // as in RouteOptions
  int ranks_per_host = 1;                           // as in CurveOptions
  // Bytes a second that a host sends, and receives at the same time. Between hosts it stands for
  // curves of ranks that had one host alone, beside their messages within it.
  double wire = 12.5e9;
  RouteCurves curves = {};  // without points: seconds are not foreseen
};

struct RouteForecast {
  RouteFigures figures = {};
  // Executions of plans over all ranks; where messages pass in chunks, at least.
  std::int64_t tiles = 0;
  std::int64_t passes = 0;              // chunks of the message with most
  std::uint64_t most_buffer_bytes = 0;  // of one rank, for its messages
  // That the ranks of one host send to other hosts, or receive, whichever is more.
  std::int64_t most_host_bytes = 0;
  double floor_seconds = 0;  // of the wire alone, for most_host_bytes
  double seconds = 0;        // of a run after the first; 0 without curves
  bool operator==(const RouteForecast&) const = default;
};

// The forecast of the route from one placement to another, over ranks 0 to the last that either
// names. Throws Error invalid as foresee(), and for options or curves that are malformed.
// [any thread]
XPOSE_API RouteForecast forecast(const Placement& from, const Placement& to,
                                 const ForecastOptions& options = {});

}  // namespace xpose
