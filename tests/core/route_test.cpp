// Routes between placements drawn at random, against a loop over the elements.
#include "xpose/route.hpp"

#include "engine_fixture.hpp"
#include "route/route_case.hpp"

namespace xpose {
namespace {

class RouteTest : public EngineTest {};

Case drawn_case(std::uint64_t seed) {
  Draw draw(seed);
  Case drawn;
  drawn.seed = seed;
  drawn.ranks = static_cast<int>(draw.number(1, 12));
  const std::uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 8, 16, 24, 48, 256};
  const std::uint32_t bytes = sizes[draw.number(0, 10)];
  const std::int64_t rows = draw.number(0, 60), cols = draw.number(0, 60);
  drawn.options.transpose = draw.number(0, 2) > 0;
  drawn.from = draw.placement(rows, cols, bytes, drawn.ranks);
  drawn.to = drawn.options.transpose ? draw.placement(cols, rows, bytes, drawn.ranks)
                                     : draw.placement(rows, cols, bytes, drawn.ranks);
  if (draw.number(0, 3) == 0) drawn.to = relabelled(drawn.from, drawn.to, drawn.options.transpose);
  if (draw.coin()) drawn.options.memory = static_cast<std::uint64_t>(draw.number(0, 20000));
  return drawn;
}

// What one rank did, and whether its array is right in every byte.
RouteReport run_rank(Engine& engine, const Case& drawn, const std::shared_ptr<Ranks>& ranks) {
  const int rank = ranks->rank();
  Draw draw(drawn.seed * 100 + static_cast<std::uint64_t>(rank));
  const Placement from = draw.own(drawn.from, rank), to = draw.own(drawn.to, rank);
  RouteOptions options = drawn.options;
  options.ranks = ranks;
  const std::vector<std::byte> in = Scattered(drawn.from).array(from, rank, false);
  const std::vector<std::byte> wanted =
      Scattered(drawn.to).array(to, rank, drawn.options.transpose);
  std::vector<std::byte> out(wanted.size(), std::byte{0xa5});
  Route route = engine.route(from, to, options);
  if (drawn.seed % 2 == 0) {  // a second run has the buffers of the first
    route.run(in.data(), out.data());
    std::ranges::fill(out, std::byte{0xa5});
  }
  const RouteReport report = route.run(in.data(), out.data());
  EXPECT_TRUE(out == wanted) << "rank " << rank << ", XPOSE_SEED=" << drawn.seed;
  return report;
}

TEST_F(RouteTest, RandomLayoutsAreExactWithTheLeastTraffic) {
  for_each_seed([](std::uint64_t seed) {
    const Case drawn = drawn_case(seed);
    expect_exact(drawn, [&](const auto& ranks) { return run_rank(engine(), drawn, ranks); });
  });
}

TEST_F(RouteTest, WithoutRanksItIsOneProcess) {
  const std::vector<std::uint32_t> in = numbers(35);
  std::vector<std::uint32_t> out(35);
  Route route = engine().route(on_one_rank(5, 7, 4), on_one_rank(7, 5, 4), {});
  const RouteReport report = route.run(in.data(), out.data());
  expect_transposed(in, out, 5, 7);
  EXPECT_EQ(report.messages_sent, 0);
  EXPECT_EQ(report.bytes_kept, 140);
  EXPECT_EQ(report.tiles, 1);
  EXPECT_EQ(route.figures(), (RouteFigures{0, 0, 0, 140, 0}));
  // Again, by the same plans.
  std::ranges::fill(out, 0U);
  route.run(in.data(), out.data());
  expect_transposed(in, out, 5, 7);
}

// A plan that is for warm caches is remembered apart from others.
TEST_F(RouteTest, ARouteOfSmallArraysIsPlannedForWarmCaches) {
  for (const std::int64_t extent : {64, 128}) {
    const std::vector<std::uint32_t> in = numbers(static_cast<std::size_t>(extent * extent));
    std::vector<std::uint32_t> out(in.size());
    const auto run = [&] {
      const Placement whole = on_one_rank(extent, extent, 4);
      engine()
          .route(whole, whole, {.plan = {.policy = Policy::cached_only, .tune = {}}})
          .run(in.data(), out.data());
    };
    EXPECT_THROW(run(), Error);
    PlanOptions warm = surely();
    warm.tune.warm = true;
    engine().plan(aligned_as(matrix(extent, extent, 4), in.data(), out.data()), warm);
    if (extent == 64)
      run();
    else
      EXPECT_THROW(run(), Error);
  }
}

TEST_F(RouteTest, ALongMessagePassesInChunks) {
  Case drawn;
  drawn.ranks = 4;
  drawn.from = row_slabs(128, 96, 8, 4);
  drawn.to = row_slabs(96, 128, 8, 4);
  drawn.options.memory = std::uint64_t{3 * 2} * 1024;  // a chunk of 1 KiB for each message
  FakeRanks all(4);
  all.run([&](const std::shared_ptr<Ranks>& ranks) {
    const RouteReport report = run_rank(engine(), drawn, ranks);
    // A message has 24 lines of 32 elements, a chunk 4 of them.
    EXPECT_EQ(report.messages_sent, 3);
    EXPECT_EQ(report.chunks_sent, 18);
    EXPECT_EQ(report.bytes_sent, 3 * 24 * 32 * 8);
  });
}

TEST_F(RouteTest, WrongArraysEndTheRouteOnAllRanks) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  FakeRanks all(3);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    RouteOptions options;
    options.ranks = ranks;
    std::vector<float> in(48), out(48);
    Route route = engine().route(placement, placement, options);
    if (ranks->rank() == 0) {
      route.run(nullptr, out.data());
    } else if (ranks->rank() == 1) {
      route.run(in.data(), in.data() + 47);
    } else {
      route.run(in.data(), out.data());
    }
  });
  EXPECT_EQ(text_of(failures[0]),
            "the array of rank 0 is null, but its placement gives it elements");
  EXPECT_EQ(text_of(failures[1]),
            "the arrays of rank 1 overlap; use a separate output, or state a route in place");
  EXPECT_NE(text_of(failures[2]).find("gave up the route: the array"), std::string::npos);
}

TEST_F(RouteTest, ADeadlineAndRanksAreChecked) {
  RouteOptions options;
  options.deadline_seconds = 0;
  const Placement one = on_one_rank(2, 2, 4);
  EXPECT_THROW(engine().route(one, one, options), Error);
  EXPECT_THROW(engine().route(row_slabs(2, 2, 4, 2), one, {}), Error);
}

}  // namespace
}  // namespace xpose
