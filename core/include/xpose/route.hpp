// Brings a matrix that several ranks hold into another placement, as it is or transposed.
//
//   xpose::RouteOptions options;
//   options.ranks = xpose::mpi_ranks(MPI_COMM_WORLD);  // <xpose/mpi.hpp>
//   xpose::Route route = engine.route(from, to, options);
//   route.run(in, out);  // on every rank; in and out: the rank's own arrays
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <xpose/placement.hpp>
#include <xpose/ranks.hpp>
#include <xpose/xpose.hpp>

namespace xpose {

// How a route runs. All ranks state the same, except for `ranks`, `devices` and `plan`.
struct RouteOptions {
  std::shared_ptr<Ranks> ranks = {};  // null: this process alone, as rank 0 of 1
  // In place of `ranks`: the arrays lie in the memory of this rank's device.
  std::shared_ptr<DeviceRanks> devices = {};
  // True: the target has the source's element (r, c) at (c, r). False: at (r, c).
  bool transpose = true;
  // True: the output is the input. The route transposes a square matrix, whose source and target
  // are one placement over any grid, with one leading dimension and offset of a rank's array. It
  // needs no more memory than the arrays and buffers of `memory` bytes.
  bool in_place = false;
  // Bytes of the buffers that messages pass through on a rank, half for each direction. A route
  // keeps them from its first run on. A message has the share of one among the most that a rank
  // sends or receives. Longer messages pass in chunks, of one line of the target at least. Devices
  // that reach each other's arrays have two buffers for what copy engines take, of half of it at
  // most.
  //
  // In place chunks are of one element at least, the elements that a rank keeps have the share of
  // one more message, and devices that reach each other's arrays need buffers too.
  std::uint64_t memory = std::uint64_t{256} << 20;
  // Seconds after which a rank from which nothing came is taken for lost. Every rank sends a sign
  // of life more often while it runs a route, so they bound how long one rank may run before
  // another. Of devices: within which all ranks begin a route, and end it, and in place write each
  // chunk.
  double deadline_seconds = 10;
  // The choice of the plans for the work on a rank, with warm caches where its arrays in host
  // memory have at most 64 KiB. A measurement counts as silence.
  PlanOptions plan = {.policy = Policy::estimate, .tune = {}};
};

// The messages of a route, over all ranks. Elements that stay on their rank are in no message, and
// two ranks exchange one message in each direction at most.
struct RouteFigures {
  std::int64_t messages = 0;       // from one rank to another
  std::int64_t most_messages = 0;  // that one rank sends, or receives, whichever is more
  std::int64_t bytes_sent = 0;     // in all messages
  std::int64_t bytes_kept = 0;     // of elements that stay on their rank
  std::int64_t most_bytes = 0;     // that one rank sends, or receives, whichever is more
  bool operator==(const RouteFigures&) const = default;
};

// The figures of the route from one placement to another, without a rank or an engine. Throws Error
// invalid for placements that are malformed or of different matrices, or that cut an axis into more
// than 2^24 pieces before these repeat, as slabs do to a trillion short blocks. [any thread]
XPOSE_API RouteFigures foresee(const Placement& from, const Placement& to, bool transpose = true);

// The placement `to` with its ranks in another order, for callers to whom it is equal which of them
// holds which cell: the one of the most bytes that stay on their rank, or `to` itself where none
// has more. The idea is that of COSTA (Kabic, Pintarelli, Kozhevnikov and VandeVondele, "COSTA:
// Communication-Optimal Shuffle and Transpose Algorithm with Process Relabeling", 2021). The
// assignment takes time of the third power of the number of ranks. Throws as foresee() does, and
// for more than 4096 ranks. [any thread]
XPOSE_API Placement relabelled(const Placement& from, const Placement& to, bool transpose = true);

// One run, as one rank saw it.
struct RouteReport {
  std::int64_t messages_sent = 0;      // to other ranks
  std::int64_t messages_received = 0;  // from other ranks
  std::int64_t chunks_sent = 0;        // that the messages to other ranks passed in
  std::int64_t bytes_sent = 0;         // elements alone
  std::int64_t bytes_received = 0;     // elements alone
  std::int64_t bytes_kept = 0;         // of elements that stayed on this rank
  std::int64_t tiles = 0;              // executions of plans
  double seconds = 0;                  // from the call to its end
};

// A route between two placements, bound to ranks. A copy shares all. It may outlive the engine's
// variable. [one thread at a time]
class XPOSE_API Route {
 public:
  // Moves the matrix from the arrays of `from` to those of `to`, in host memory or, with
  // RouteOptions::devices, in that of the device: the addresses of the own ones, whose sizes
  // local_array() tells. A rank without a cell may give null. The arrays must not overlap; in place
  // both are one address. Every rank calls it, and has its output when the call returns.
  //
  // Throws Error invalid for a null pointer, arrays that overlap, in place for two arrays or two
  // leading dimensions or offsets, and on every rank where two ranks have stated different
  // placements or options; failed, naming the rank, where one is lost or has failed; else as
  // Plan::execute(). A rank that is lost, or fails, when it has exchanged all of its messages with
  // this one may leave it with its output: then the next run names it. After a failure the output
  // is unspecified, and the ranks are of no more use: make new ones, or end the program.
  RouteReport run(const void* in, void* out);

  const RouteFigures& figures() const;  // as foresee() has them

 private:
  friend class Engine;
  struct Impl;
  explicit Route(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace xpose
