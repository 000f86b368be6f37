// A route that meets faults, and how its ranks end.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "fake_ranks.hpp"
#include "move_by_loop.hpp"
#include "route/route_run.hpp"
#include "scattered.hpp"

namespace xpose {

// Four ranks; rank 3 has nothing to receive, and exchanges nothing with some of the others.
struct FaultCase {
  Placement from = row_slabs(40, 64, 8, 4);
  Placement to = row_slabs(64, 40, 8, 3);
  std::uint64_t memory = 1000;
  double deadline_seconds = 10;
  bool in_place = false;

  // All exchange messages of several chunks, and ranks 0 and 3 keep elements.
  static FaultCase of_long_messages() { return {.memory = 1 << 20}; }  // that wait for a receive
  static FaultCase of_one_array() {
    const Placement placement =
        block_cyclic({.m = 40, .n = 40, .mb = 3, .nb = 5, .nprow = 2, .npcol = 2}, 8);
    return {.from = placement, .to = placement, .memory = 2000, .in_place = true};
  }

  RouteReport run(
      Ranks& ranks, std::uint64_t digest = 1, const std::function<void()>& check = [] {}) const {
    const int rank = ranks.rank();
    Exchange exchange(from, to, true);
    exchange.lay_out(rank);
    const std::vector<std::byte> in = Scattered(from).array(from, rank, false);
    const std::vector<std::byte> wanted = Scattered(to).array(to, rank, true);
    std::vector<std::byte> out = in_place ? in : std::vector(wanted.size(), std::byte{0xa5});
    const Move move = move_by_loop;
    Passages passages;
    const RouteReport report =
        RouteRun({ranks, exchange, digest, most_chunk_bytes(memory, exchange.figures(), in_place),
                  deadline_seconds, move, passages, in_place},
                 in_place ? out.data() : in.data(), out.data())
            .run(check);
    EXPECT_TRUE(out == wanted) << "rank " << rank;
    return report;
  }
};

struct Ending {
  std::string text;
  bool is_killed = false, is_good = false;
  ErrorKind kind = ErrorKind::failed;
};

inline Ending ending_of(const std::exception_ptr& failure) {
  Ending ending;
  try {
    if (failure != nullptr) std::rethrow_exception(failure);
    ending.is_good = true;
  } catch (const Killed&) {
    ending.is_killed = true;
  } catch (const Error& error) {
    ending.text = error.what();
    ending.kind = error.kind();
  }
  return ending;
}

}  // namespace xpose
