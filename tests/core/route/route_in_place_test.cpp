// Routes in place, of squares over any grid, against a loop over the elements.
#include "../engine_fixture.hpp"
#include "route_case.hpp"

namespace xpose {
namespace {

class RouteInPlaceTest : public EngineTest {};

Case drawn_case(std::uint64_t seed) {
  Draw draw(seed);
  Case drawn;
  drawn.seed = seed;
  drawn.ranks = static_cast<int>(draw.number(1, 12));
  const std::uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 8, 16, 24, 48, 256};
  const std::uint32_t bytes = sizes[draw.number(0, 10)];
  const std::int64_t side = draw.number(0, 60);
  drawn.options.in_place = true;
  drawn.from = drawn.to = draw.placement(side, side, bytes, drawn.ranks);
  if (draw.coin()) drawn.options.memory = static_cast<std::uint64_t>(draw.number(0, 60000));
  return drawn;
}

// Every second run brings the matrix back.
RouteReport run_rank(Engine& engine, const Case& drawn, const std::shared_ptr<Ranks>& ranks) {
  const int rank = ranks->rank();
  const Placement own =
      Draw(drawn.seed * 100 + static_cast<std::uint64_t>(rank)).own(drawn.from, rank);
  RouteOptions options = drawn.options;
  options.ranks = ranks;
  Route route = engine.route(own, own, options);
  const std::vector<std::byte> before = Scattered(drawn.from).array(own, rank, false);
  const std::vector<std::byte> wanted = Scattered(drawn.from).array(own, rank, true);
  std::vector<std::byte> array = before;
  RouteReport report = route.run(array.data(), array.data());
  EXPECT_TRUE(array == wanted) << "rank " << rank << ", XPOSE_SEED=" << drawn.seed;
  if (drawn.seed % 2 == 0) {
    report = route.run(array.data(), array.data());
    EXPECT_TRUE(array == before) << "rank " << rank << ", XPOSE_SEED=" << drawn.seed;
  }
  return report;
}

TEST_F(RouteInPlaceTest, RandomLayoutsAreExactWithTheLeastTraffic) {
  for_each_seed([](std::uint64_t seed) {
    const Case drawn = drawn_case(seed);
    expect_exact(drawn, [&](const auto& ranks) { return run_rank(engine(), drawn, ranks); });
  });
}

TEST_F(RouteInPlaceTest, WithoutRanksItIsOneProblem) {
  std::vector<std::uint32_t> array = numbers(49);
  RouteOptions options;
  options.in_place = true;
  Route route = engine().route(on_one_rank(7, 7, 4), on_one_rank(7, 7, 4), options);
  const RouteReport report = route.run(array.data(), array.data());
  expect_transposed(numbers(49), array, 7, 7);
  EXPECT_EQ(report.bytes_kept, 196);
  EXPECT_EQ(report.tiles, 1);
}

// What a route in place from one placement to another over two ranks is told.
std::string refusal(Engine& engine, const Placement& from, const Placement& to,
                    bool transpose = true) {
  std::string text;
  FakeRanks(2).run([&](const std::shared_ptr<Ranks>& ranks) {
    if (ranks->rank() != 0) return;
    RouteOptions options;
    options.ranks = ranks;
    options.transpose = transpose;
    options.in_place = true;
    try {
      engine.route(from, to, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid);
      text = error.what();
    }
  });
  return text;
}

TEST_F(RouteInPlaceTest, OtherRoutesAreRefused) {
  const Placement slabs = row_slabs(12, 12, 4, 2);
  EXPECT_EQ(refusal(engine(), slabs, slabs), "");
  EXPECT_EQ(refusal(engine(), slabs, slabs, false),
            "a route in place transposes, and this one leaves elements at their indices; use a "
            "separate output");
  EXPECT_EQ(refusal(engine(), row_slabs(12, 8, 4, 2), row_slabs(8, 12, 4, 2)),
            "a route in place is of a square matrix, not of 12x8 elements; use a separate output");
  Placement turned = slabs, other_order = slabs;
  turned.ranks = {1, 0};
  other_order.order = Order::column_major;
  for (const Placement& other : {column_slabs(12, 12, 4, 2), turned, other_order})
    EXPECT_EQ(refusal(engine(), slabs, other),
              "a route in place has one placement for source and target, and these two differ; use "
              "a separate output");
}

TEST_F(RouteInPlaceTest, ARanksArraysAreOne) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  const auto failures_of = [&](const std::function<void(Placement & from, Placement & to)>& change,
                               std::ptrdiff_t distance) {
    FakeRanks all(3);
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
      RouteOptions options;
      options.ranks = ranks;
      options.in_place = true;
      Placement from = placement, to = placement;
      if (ranks->rank() == 1) change(from, to);
      std::vector<float> array(200);
      engine()
          .route(from, to, options)
          .run(array.data(), array.data() + (ranks->rank() == 1 ? distance : 0));
    });
    return std::vector<std::string>{text_of(failures[0]), text_of(failures[1]),
                                    text_of(failures[2])};
  };
  const auto expect_told = [](const std::vector<std::string>& texts, const std::string& text) {
    EXPECT_EQ(texts[1], text);
    for (const std::size_t rank : {0, 2}) {
      EXPECT_EQ(texts[rank].empty(), text.empty());
      EXPECT_TRUE(texts[rank].ends_with(text)) << texts[rank];
    }
  };
  const auto nothing = [](Placement&, Placement&) {};
  expect_told(failures_of(nothing, 0), "");
  // 0 is the leading dimension that the rows have.
  expect_told(failures_of([](Placement& from, Placement&) { from.leading_dimension = 12; }, 0), "");
  for (const std::ptrdiff_t distance : {1, 100})
    expect_told(failures_of(nothing, distance),
                "the route is in place, but input and output of rank 1 differ; give one array, or "
                "state a route that is not in place");
  const std::string differ =
      "the route is in place, but source and target of rank 1 differ in leading dimension or "
      "offset; state the same, or use a separate output";
  expect_told(failures_of([](Placement& from, Placement&) { from.leading_dimension = 13; }, 0),
              differ);
  expect_told(failures_of([](Placement&, Placement& to) { to.offset = 1; }, 0), differ);
}

TEST_F(RouteInPlaceTest, ARankThatStatesItAloneIsTold) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  FakeRanks all(3);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    RouteOptions options;
    options.ranks = ranks;
    options.in_place = ranks->rank() == 2;
    std::vector<float> in(48), out(48);
    engine()
        .route(placement, placement, options)
        .run(options.in_place ? out.data() : in.data(), out.data());
  });
  for (const std::exception_ptr& failure : failures)
    EXPECT_NE(text_of(failure).find("has stated another route than rank"), std::string::npos)
        << text_of(failure);
}

TEST_F(RouteInPlaceTest, ALongMessagePassesInChunks) {
  Case drawn;
  drawn.ranks = 4;
  drawn.from = drawn.to = row_slabs(128, 128, 8, 4);
  drawn.options.in_place = true;
  drawn.options.memory = std::uint64_t{4 * 2} * 2048;  // a chunk of 2 KiB for each message
  FakeRanks all(4);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    const RouteReport report = run_rank(engine(), drawn, ranks);
    // A message has 32 x 32 elements, a chunk 16 x 16 of them.
    EXPECT_EQ(report.messages_sent, 3);
    EXPECT_EQ(report.chunks_sent, 12);
    EXPECT_EQ(report.bytes_sent, 3 * 32 * 32 * 8);
    EXPECT_EQ(report.bytes_kept, 32 * 32 * 8);
    // Of each chunk two, and one that keeps what stays.
    EXPECT_EQ(report.tiles, 2 * 12 + 1);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(text_of(failure), "");
}

}  // namespace
}  // namespace xpose
