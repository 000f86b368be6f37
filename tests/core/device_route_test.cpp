// Routes over ranks with a device each, which here is the host: by writes into each other's arrays
// and by messages, against a loop over the elements. XPOSE_LAYOUTS says how many.
#include "engine_fixture.hpp"
#include "route/route_case.hpp"
#include "route/threads_of_ranks.hpp"

namespace xpose {
namespace {

class DeviceRouteTest : public EngineTest {};

using AllRanks = std::vector<std::shared_ptr<DeviceRanks>>;

Case drawn_case(std::uint64_t seed) {
  Draw draw(seed);
  Case drawn;
  drawn.seed = seed;
  drawn.ranks = static_cast<int>(draw.number(1, 5));
  const std::uint32_t sizes[] = {1, 2, 3, 4, 8, 16, 24};
  const std::uint32_t bytes = sizes[draw.number(0, 6)];
  // Now and then more lines than a tile of a strategy has.
  const std::int64_t most = draw.number(0, 3) == 0 ? 300 : 40;
  const std::int64_t rows = draw.number(0, most), cols = draw.number(0, most);
  drawn.options.transpose = draw.number(0, 2) > 0;
  drawn.options.deadline_seconds = 300;  // of a loaded machine
  drawn.from = draw.placement(rows, cols, bytes, drawn.ranks);
  drawn.to = drawn.options.transpose ? draw.placement(cols, rows, bytes, drawn.ranks)
                                     : draw.placement(rows, cols, bytes, drawn.ranks);
  if (draw.coin()) drawn.options.memory = static_cast<std::uint64_t>(draw.number(0, 20000));
  return drawn;
}

Case drawn_case_in_place(std::uint64_t seed) {
  Draw draw(seed);
  Case drawn = drawn_case(seed);
  drawn.options.in_place = drawn.options.transpose = true;
  const std::int64_t side = draw.number(0, draw.number(0, 3) == 0 ? 300 : 40);
  drawn.from = drawn.to = draw.placement(side, side, drawn.from.element_bytes, drawn.ranks);
  // Chunks of an element each would take a meeting each.
  if (side > 40) drawn.options.memory += 20000;
  return drawn;
}

// What one rank did, after two runs, whose arrays are right in every byte.
RouteReport run_rank(Engine& engine, const Case& drawn, const std::shared_ptr<DeviceRanks>& own) {
  const int rank = own->rank();
  Draw draw(drawn.seed * 100 + static_cast<std::uint64_t>(rank));
  const Placement from = draw.own(drawn.from, rank);
  const Placement to = drawn.options.in_place ? from : draw.own(drawn.to, rank);
  RouteOptions options = drawn.options;
  options.devices = own;
  const std::vector<std::byte> in = Scattered(drawn.from).array(from, rank, false);
  const std::vector<std::byte> wanted =
      Scattered(drawn.to).array(to, rank, drawn.options.transpose);
  Route route = engine.route(from, to, options);
  RouteReport report;
  for (int i = 0; i < 2; ++i) {
    std::vector<std::byte> out =
        options.in_place ? in : std::vector(wanted.size(), std::byte{0xa5});
    report = route.run(options.in_place ? out.data() : in.data(), out.data());
    EXPECT_TRUE(out == wanted) << "rank " << rank << ", seed " << drawn.seed;
  }
  return report;
}

void expect_least(const Case& drawn, const std::vector<RouteReport>& reports) {
  const LeastTraffic least(drawn.from, drawn.to, drawn.options.transpose);
  std::int64_t sent = 0, received = 0, kept = 0, messages = 0;
  for (const RouteReport& report : reports) {
    sent += report.bytes_sent;
    received += report.bytes_received;
    kept += report.bytes_kept;
    messages += report.messages_sent;
    EXPECT_GE(report.chunks_sent, report.messages_sent);
  }
  const std::int64_t bytes = drawn.from.element_bytes;
  EXPECT_EQ(sent, least.moves * bytes);
  EXPECT_EQ(received, least.moves * bytes);
  EXPECT_EQ(kept, least.stays * bytes);
  EXPECT_EQ(messages, static_cast<std::int64_t>(least.pairs.size()));
}

void expect_exact(Engine& engine, const Case& drawn, const AllRanks& ranks) {
  std::vector<RouteReport> reports(ranks.size());
  const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
    reports[static_cast<std::size_t>(own->rank())] = run_rank(engine, drawn, own);
  });
  for (const std::string& text : texts) EXPECT_EQ(text, "");
  expect_least(drawn, reports);
}

// Over ranks that carry the messages, in pieces of few bytes or from device memory.
void expect_exact_if_carried(Engine& engine, const Case& drawn) {
  std::vector<RouteReport> reports(static_cast<std::size_t>(drawn.ranks));
  FakeRanks all(drawn.ranks, drawn.seed);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    const bool may_be_direct = drawn.seed % 3 == 0;
    const auto own = carried_ranks(ranks, {},
                                   {.may_be_direct = may_be_direct,
                                    .may_map_arrays = drawn.seed % 4 == 0,
                                    .memory = 2000 * (drawn.seed % 50)});
    EXPECT_EQ(own->is_direct(), may_be_direct && drawn.ranks > 1);
    reports[static_cast<std::size_t>(ranks->rank())] = run_rank(engine, drawn, own);
  });
  for (const std::exception_ptr& failure : failures) EXPECT_EQ(text_of(failure), "");
  expect_least(drawn, reports);
}

void expect_exact_all_ways(Engine& engine, Case (*drawn_by)(std::uint64_t seed)) {
  for (std::uint64_t seed = 1; seed <= number_from("XPOSE_LAYOUTS", 60); ++seed) {
    const Case drawn = drawn_by(seed);
    expect_exact(engine, drawn, mail_ranks(drawn.ranks));
    expect_exact(engine, drawn,
                 peer_ranks(std::vector<Device>(static_cast<std::size_t>(drawn.ranks))));
    expect_exact_if_carried(engine, drawn);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST_F(DeviceRouteTest, RandomLayoutsAreExactAllWays) {
  expect_exact_all_ways(engine(), drawn_case);
}

TEST_F(DeviceRouteTest, RandomLayoutsInPlaceAreExactAllWays) {
  expect_exact_all_ways(engine(), drawn_case_in_place);
}

TEST_F(DeviceRouteTest, ALongMessagePassesInChunksAndIsWrittenInParts) {
  Case drawn;
  drawn.ranks = 2;
  drawn.options.deadline_seconds = 300;
  drawn.from = row_slabs(1024, 512, 8, 2);
  drawn.to = row_slabs(512, 1024, 8, 2);
  drawn.options.memory = std::uint64_t{512} << 10;  // a chunk of 128 KiB
  const auto chunks_of = [&](const AllRanks& ranks) {
    std::int64_t chunks = 0;
    const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
      const RouteReport report = run_rank(engine(), drawn, own);
      if (own->rank() == 0) chunks = report.chunks_sent;
    });
    EXPECT_EQ(texts, std::vector<std::string>(2));
    return chunks;
  };
  EXPECT_EQ(chunks_of(mail_ranks(2)), 8);
  EXPECT_EQ(chunks_of(peer_ranks({Device{}, Device{}})), 1);
}

TEST_F(DeviceRouteTest, InPlaceALongMessagePassesInChunksBothWays) {
  Case drawn;
  drawn.ranks = 2;
  drawn.options.deadline_seconds = 300;
  drawn.options.in_place = true;
  drawn.from = drawn.to = row_slabs(1024, 1024, 8, 2);
  drawn.options.memory = std::uint64_t{1} << 20;
  for (const AllRanks& ranks : {mail_ranks(2), peer_ranks({Device{}, Device{}})})
    run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
      const RouteReport report = run_rank(engine(), drawn, own);
      // A chunk of a message of 512 x 512 elements has 256 KiB, where the other rank takes it in
      // its array, and else half of that.
      EXPECT_EQ(report.chunks_sent, own->reaches_others() ? 8 : 16);
      EXPECT_EQ(report.bytes_sent, 512 * 512 * 8);
      EXPECT_EQ(report.bytes_kept, 512 * 512 * 8);
      // Packed and stored, here or by the other rank: the message is too short for copies.
      EXPECT_EQ(report.tiles, 2 * report.chunks_sent + 1);
    });
}

TEST_F(DeviceRouteTest, WrongArraysEndTheRouteOnAllRanks) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  for (const AllRanks& ranks : {mail_ranks(3), peer_ranks(std::vector<Device>(3))}) {
    const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
      RouteOptions options;
      options.devices = own;
      std::vector<float> in(48), out(48);
      engine()
          .route(placement, placement, options)
          .run(own->rank() == 1 ? nullptr : in.data(), out.data());
    });
    EXPECT_EQ(texts[1], "the array of rank 1 is null, but its placement gives it elements");
    for (const std::size_t rank : {0, 2})
      EXPECT_EQ(texts[rank], "rank 1 gave up the route: " + texts[1]);
  }
}

// Of a route over three ranks, in the order of the ranks.
std::vector<std::exception_ptr> failures_if_carried(
    Engine& engine, std::uint64_t seed,
    const std::function<void(int rank, RouteOptions& options, const void*& in)>& change) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  FakeRanks all(3, seed);
  return all.run([&](const std::shared_ptr<Ranks>& own) {
    RouteOptions options;
    options.devices = carried_ranks(own, {}, {.may_map_arrays = seed % 4 == 0});
    std::vector<float> input(48), out(48);
    const void* in = input.data();
    change(own->rank(), options, in);
    engine.route(placement, placement, options).run(in, out.data());
  });
}

TEST_F(DeviceRouteTest, OverACarrierTheReasonOfAFailureIsToldToAll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto failures =
        failures_if_carried(engine(), seed, [](int rank, RouteOptions&, const void*& in) {
          if (rank == 1) in = nullptr;
        });
    const std::string reason = "the array of rank 1 is null, but its placement gives it elements";
    EXPECT_EQ(text_of(failures[1]), reason);
    for (const std::size_t rank : {0, 2})
      EXPECT_EQ(text_of(failures[rank]), "rank 1 gave up the route: " + reason);
  }
}

TEST_F(DeviceRouteTest, OverACarrierAnotherRouteIsInvalidOnAllRanks) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const std::exception_ptr& failure :
         failures_if_carried(engine(), seed, [](int rank, RouteOptions&options, const void*&) {
           if (rank == 2) options.memory -= 1;
         })) {
      try {
        std::rethrow_exception(failure);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::invalid) << error.what();
      }
    }
}

TEST_F(DeviceRouteTest, RanksThatStateAnotherRouteAllGetAnError) {
  const Placement placement = row_slabs(12, 12, 4, 2);
  const AllRanks ranks = peer_ranks({Device{}, Device{}});
  const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
    RouteOptions options;
    options.devices = own;
    options.transpose = own->rank() == 0;
    std::vector<float> in(72), out(72);
    engine().route(placement, placement, options).run(in.data(), out.data());
  });
  EXPECT_EQ(texts[0].find("rank 1 has stated another route than rank 0; "), 0U) << texts[0];
  EXPECT_EQ(texts[1].find("rank 0 has stated another route than rank 1; "), 0U) << texts[1];
}

TEST_F(DeviceRouteTest, ARankThatDoesNotComeIsNamed) {
  const Placement placement = row_slabs(12, 12, 4, 3);
  const AllRanks ranks = peer_ranks(std::vector<Device>(3));
  const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
    if (own->rank() == 1) return;
    RouteOptions options;
    options.devices = own;
    options.deadline_seconds = own->rank() == 0 ? 0.25 : 300;
    std::vector<float> in(48), out(48);
    engine().route(placement, placement, options).run(in.data(), out.data());
  });
  EXPECT_EQ(texts[0],
            "rank 1 of 3 sent nothing for 0.25 seconds: it has ended, is stopped, or has not run "
            "the route; end the program, or give a longer RouteOptions::deadline_seconds");
  EXPECT_EQ(texts[2], "rank 0 gave up the route: its own error says why");
  EXPECT_THROW(ranks[0]->gather({}, 1), Error);
}

TEST_F(DeviceRouteTest, RanksAndDevicesAreChecked) {
  EXPECT_THROW(peer_ranks({}), Error);
  EXPECT_THROW(peer_ranks({Device{}, Device{DeviceKind::cuda, 0}}), Error);
  EXPECT_THROW(peer_ranks({Device{DeviceKind::cuda, 4000}}), Error);
  RouteOptions options;
  options.devices = peer_ranks({Device{}}).front();
  const Placement one = on_one_rank(2, 2, 4);
  FakeRanks(1).run([&](const std::shared_ptr<Ranks>& ranks) {
    RouteOptions both = options;
    both.ranks = ranks;
    EXPECT_THROW(engine().route(one, one, both), Error);
  });
  EXPECT_THROW(engine().route(row_slabs(2, 2, 4, 2), one, options), Error);
}

}  // namespace
}  // namespace xpose
