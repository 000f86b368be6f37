// Faults amid a run in place of ranks that write into each other's arrays.
#include <gtest/gtest.h>

#include "move_by_loop.hpp"
#include "route/device_run.hpp"
#include "scattered.hpp"
#include "threads_of_ranks.hpp"

namespace xpose {
namespace {

constexpr int kRanks = 3;

// Of 16 elements a chunk, so that a message of 10 x 10 has several.
struct Fault {
  int call = 0;                     // to move a tile, of rank 1, from 1 on
  std::function<void()> what = {};  // it does then
  double deadline_seconds = 300;    // of the others
};

class FaultyRun {
 public:
  explicit FaultyRun(const Fault& fault) {
    for (int rank = 0; rank < kRanks; ++rank)
      arrays_.push_back(Scattered(placement_).array(placement_, rank, false));
    const auto ranks = peer_ranks(std::vector<Device>(kRanks));
    texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
      const bool is_faulty = own->rank() == 1;
      int calls = 0;
      const StreamMove move = [&](const Problem& problem, const void* in, void* out, void*) {
        if (is_faulty && ++calls == fault.call) fault.what();
        move_by_loop(problem, in, out);
      };
      run(*own, move, is_faulty ? 300 : fault.deadline_seconds);
      if (is_faulty) faulty_calls = calls;
    });
  }

  std::vector<std::string> texts;
  std::array<bool, kRanks> exact{};
  int faulty_calls = 0;

 private:
  void run(DeviceRanks& ranks, const StreamMove& move, double deadline_seconds) {
    Exchange exchange(placement_, placement_, true);
    exchange.lay_out(ranks.rank());
    DeviceStreams streams(backend(Device{}));
    std::vector<std::byte>& array = arrays_[static_cast<std::size_t>(ranks.rank())];
    DeviceRun({.ranks = ranks,
               .exchange = exchange,
               .to = placement_,
               .digest = 1,
               .most_chunk_bytes = 128,
               .memory = 0,
               .deadline_seconds = deadline_seconds,
               .move = move,
               .streams = streams,
               .in_place = true},
              array.data(), array.data())
        .run([] {});
    exact[static_cast<std::size_t>(ranks.rank())] =
        array == Scattered(placement_).array(placement_, ranks.rank(), true);
  }

  Placement placement_ = row_slabs(30, 30, 8, kRanks);
  // Until all threads have returned: a late one may write into those of the others.
  std::vector<std::vector<std::byte>> arrays_;
};

TEST(DeviceRunInPlaceTest, WithoutAFaultItIsExact) {
  const FaultyRun run({});
  EXPECT_EQ(run.texts, std::vector<std::string>(kRanks));
  EXPECT_EQ(run.exact, (std::array{true, true, true}));
}

TEST(DeviceRunInPlaceTest, ARankThatFailsAtAnyTileIsToldToTheOthers) {
  const int calls = FaultyRun({}).faulty_calls;
  ASSERT_GT(calls, 30);
  for (int call = 1; call <= calls; ++call) {
    const FaultyRun run(
        {.call = call, .what = [] { throw Error(ErrorKind::no_memory, "no memory is left"); }});
    EXPECT_EQ(run.texts[1], "no memory is left");
    for (const std::size_t rank : {0, 2})
      EXPECT_EQ(run.texts[rank], "rank 1 gave up the route: no memory is left") << call;
  }
}

TEST(DeviceRunInPlaceTest, ARankThatStopsAmidItsChunksIsNamed) {
  for (const int call : {1, 20}) {
    const FaultyRun run(
        {.call = call,
         .what = [] { std::this_thread::sleep_for(std::chrono::milliseconds(800)); },
         .deadline_seconds = 0.25});
    const std::string silent =
        "rank 1 of 3 sent nothing for 0.25 seconds: it has ended, is stopped, or works without a "
        "pause; end the program, or give a longer RouteOptions::deadline_seconds";
    // The one that waits first ends the wait of the other.
    EXPECT_TRUE(run.texts[0] == silent || run.texts[2] == silent) << run.texts[0];
    for (const std::string& text : run.texts) EXPECT_NE(text, "");
  }
}

}  // namespace
}  // namespace xpose
