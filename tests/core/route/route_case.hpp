// A drawn route over ranks that are threads, and what all of them must have moved. XPOSE_LAYOUTS
// says how many are drawn, XPOSE_SEED draws the same again.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fake_ranks.hpp"
#include "scattered.hpp"
#include "xpose/route.hpp"

namespace xpose {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline std::string text_of(const std::exception_ptr& failure) {
  if (failure == nullptr) return "";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (const Killed&) {
    return "killed";
  }
}

struct Case {
  Placement from, to;
  RouteOptions options;
  int ranks = 1;
  std::uint64_t seed = 0;
};

inline void expect_least_traffic(const Case& drawn, const std::vector<RouteReport>& reports) {
  const LeastTraffic least(drawn.from, drawn.to, drawn.options.transpose);
  const std::int64_t bytes = drawn.from.element_bytes;
  std::int64_t sent = 0, received = 0, kept = 0;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const RouteReport& report = reports[rank];
    const auto number = static_cast<int>(rank);
    EXPECT_EQ(report.messages_sent,
              std::ranges::count(least.pairs, number, &std::pair<int, int>::first));
    EXPECT_EQ(report.messages_received,
              std::ranges::count(least.pairs, number, &std::pair<int, int>::second));
    EXPECT_LE(report.messages_sent, drawn.ranks - 1);
    EXPECT_GE(report.chunks_sent, report.messages_sent);
    sent += report.bytes_sent;
    received += report.bytes_received;
    kept += report.bytes_kept;
  }
  EXPECT_EQ(sent, least.moves * bytes);
  EXPECT_EQ(received, least.moves * bytes);
  EXPECT_EQ(kept, least.stays * bytes);
}

// Runs the route on all ranks, by a body that gives what one of them did.
inline void expect_exact(
    const Case& drawn, const std::function<RouteReport(const std::shared_ptr<Ranks>&)>& run_rank) {
  FakeRanks all(drawn.ranks, drawn.seed);
  std::vector<RouteReport> reports(static_cast<std::size_t>(drawn.ranks));
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    reports[static_cast<std::size_t>(ranks->rank())] = run_rank(ranks);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(text_of(failure), "");
  expect_least_traffic(drawn, reports);
  ASSERT_FALSE(testing::Test::HasFailure())
      << "draw this one again: XPOSE_SEED=" << drawn.seed << " XPOSE_LAYOUTS=1";
}

// Calls body(seed) for each of them.
inline void for_each_seed(const std::function<void(std::uint64_t seed)>& body) {
  const std::uint64_t first = number_from("XPOSE_SEED", 1);
  for (std::uint64_t i = 0; i < number_from("XPOSE_LAYOUTS", 200); ++i)
    ASSERT_NO_FATAL_FAILURE(body(first + i));
}

}  // namespace xpose
