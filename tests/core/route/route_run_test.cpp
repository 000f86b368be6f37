// Faults: a rank that dies or stops at each of its calls, and ranks that have stated other routes.
#include "route/route_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "carried_case.hpp"
#include "fault_case.hpp"

namespace xpose {
namespace {

bool names(const std::string& text, int rank) {
  return text.find("rank " + std::to_string(rank) + " of 4 sent nothing for 10 seconds") !=
         std::string::npos;
}

bool is_told(const std::vector<std::exception_ptr>& failures, int rank, const std::string& why) {
  const std::string text = ending_of(failures[static_cast<std::size_t>(rank)]).text;
  return text.find("rank 1 gave up the route: " + why) != std::string::npos;
}

// The chunks that one rank sends to another in a run; a greeting is one.
int chunks_of(const FaultCase& drawn, int from, int to) {
  FakeRanks all(4);
  all.run([&](const std::shared_ptr<Ranks>& ranks) { drawn.run(*ranks); });
  return all.sent(from, to, chunk_channel(1));
}

// Two runs. A rank that is lost ends all others with an error that names it, in this run or in the
// next, within two deadlines of the ranks' clock. One that had sent some of them all that it has
// for them in both runs leaves these with their results. Returns whether the rank was lost at all.
bool expect_named(const FaultCase& drawn, const RankFault& fault) {
  FakeRanks all(4, static_cast<std::uint64_t>(fault.call), fault);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    drawn.run(*ranks);
    drawn.run(*ranks);
  });
  const auto has_all = [&](int rank) {
    return all.sent(fault.rank, rank, chunk_channel(1)) == 2 * chunks_of(drawn, fault.rank, rank);
  };
  const std::string where = (fault.is_stop ? "stopped rank " : "dead rank ") +
                            std::to_string(fault.rank) + " at call " + std::to_string(fault.call);
  for (int rank = 0; rank < 4; ++rank) {
    const Ending ending = ending_of(failures[static_cast<std::size_t>(rank)]);
    if (!all.fault_happened())
      EXPECT_TRUE(ending.is_good) << where << ": " << ending.text;
    else if (rank == fault.rank)
      EXPECT_TRUE(ending.is_killed) << where;
    else
      EXPECT_TRUE(names(ending.text, fault.rank) || (ending.is_good && has_all(rank)))
          << where << ": rank " << rank << ": " << ending.text;
  }
  EXPECT_LE(all.now(), 20.0) << where;
  return all.fault_happened();
}

// Calls from one that a rank is lost in to the next: a sanitizer takes long for each.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kCalls = 7;
#else
constexpr int kCalls = 1;
#endif

TEST(RouteRunTest, ALostRankIsNamedByAllOthersInEveryPhase) {
  for (const FaultCase& drawn :
       {FaultCase{}, FaultCase::of_long_messages(), FaultCase::of_one_array()})
    for (const bool is_stop : {false, true})
      for (const int rank : {0, 1, 3}) {
        int call = 1;
        while (expect_named(drawn, {rank, call, is_stop}) && !HasFailure()) call += kCalls;
        EXPECT_GT(call, 20) << "the rank made too few calls for all phases to be among them";
      }
}

TEST(RouteRunTest, InPlaceAChunkThatComesEarlyWaitsForItsPlace) {
  const FaultCase drawn = FaultCase::of_one_array();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    FakeRanks all(4, seed);
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
      const RouteReport report = drawn.run(*ranks);
      EXPECT_EQ(report.messages_sent, report.messages_received);
      EXPECT_EQ(report.bytes_sent, report.bytes_received);
      EXPECT_GT(report.chunks_sent, 2 * report.messages_sent);
    });
    for (const std::exception_ptr& failure : failures) EXPECT_TRUE(ending_of(failure).is_good);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(RouteRunTest, RanksWithoutMessagesForEachOtherGreetWithoutNotices) {
  const FaultCase drawn;
  FakeRanks all(4);
  all.run([&](const std::shared_ptr<Ranks>& ranks) {
    const RouteReport report = drawn.run(*ranks);
    EXPECT_LT(report.messages_sent + report.messages_received, 6);
  });
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_TRUE(all.notices(rank).empty());
    for (int other = 0; other < 4; ++other)
      EXPECT_EQ(all.sent(rank, other, chunk_channel(1)) > 0, other != rank);
  }
}

TEST(RouteRunTest, ARankThatNeverCameIsNamed) {
  const FaultCase drawn;
  FakeRanks all(4);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    if (ranks->rank() != 2) drawn.run(*ranks);
  });
  for (const int rank : {0, 1, 3}) {
    const std::string text = ending_of(failures[static_cast<std::size_t>(rank)]).text;
    EXPECT_TRUE(names(text, 2)) << text;
    EXPECT_NE(text.find("has not run the route"), std::string::npos) << text;
  }
}

TEST(RouteRunTest, AnotherStatementIsASentenceOnEveryRank) {
  const FaultCase drawn;
  for (int other = 0; other < 4; ++other) {
    FakeRanks all(4);
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
      drawn.run(*ranks, ranks->rank() == other ? 2 : 1);
    });
    for (const std::exception_ptr& failure : failures) {
      const Ending ending = ending_of(failure);
      EXPECT_EQ(ending.kind, ErrorKind::invalid);
      EXPECT_NE(ending.text.find("has stated another route than rank"), std::string::npos)
          << ending.text;
    }
    EXPECT_LT(all.now(), 1.0);
  }
}

// Whose chunks come on one channel.
TEST(RouteRunTest, ADigestThatIsHalfTheSameIsAnotherStatement) {
  constexpr std::uint64_t kOther = 1 + 32766;
  ASSERT_EQ(chunk_channel(kOther), chunk_channel(1));
  const FaultCase drawn = FaultCase::of_long_messages();
  FakeRanks all(4);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    drawn.run(*ranks, ranks->rank() == 1 ? kOther : 1);
  });
  for (const std::exception_ptr& failure : failures)
    EXPECT_NE(ending_of(failure).text.find("has stated another route than rank"), std::string::npos)
        << ending_of(failure).text;
}

TEST(RouteRunTest, AFailureIsToldToTheOthers) {
  const FaultCase drawn;
  FakeRanks all(4);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    if (ranks->rank() != 1) {
      drawn.run(*ranks);  // which is all that one that receives nothing has to do
      drawn.run(*ranks);
      return;
    }
    Exchange exchange(drawn.from, drawn.to, true);
    exchange.lay_out(1);
    const std::vector<std::byte> in(40 * 64 * 8);
    std::vector<std::byte> out(in.size());
    const Move move = [](const Problem&, const void*, void*) {
      throw Error(ErrorKind::no_memory, "no memory is left");
    };
    Passages passages;
    RouteRun({*ranks, exchange, 1, most_chunk_bytes(drawn.memory, exchange.figures()), 10, move,
              passages},
             in.data(), out.data())
        .run([] {});
  });
  EXPECT_EQ(ending_of(failures[1]).text, "no memory is left");
  for (const int rank : {0, 2, 3}) EXPECT_TRUE(is_told(failures, rank, "no memory is left"));
}

TEST(RouteRunTest, ArraysThatAreRefusedAreToldToAllOthers) {
  const FaultCase drawn;
  FakeRanks all(4);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    drawn.run(*ranks, 1, [&] {
      if (ranks->rank() == 1) throw Error(ErrorKind::invalid, "the array is null");
    });
  });
  for (const int rank : {0, 2, 3}) EXPECT_TRUE(is_told(failures, rank, "the array is null"));
}

// Rank 0 has the matrix, of which it sends half.
struct HalfCase {
  Placement from = on_one_rank(8, 8, 8, 0), to = row_slabs(8, 8, 8, 2);

  void run(Ranks& ranks, const Move& move) const {
    Exchange exchange(from, to, true);
    exchange.lay_out(ranks.rank());
    const std::vector<std::byte> in(8 * 8 * 8);
    std::vector<std::byte> out(in.size());
    Passages passages;
    RouteRun({ranks, exchange, 1, 1 << 20, 10, move, passages}, in.data(), out.data()).run([] {});
  }
};

TEST(RouteRunTest, ARankThatHasAllDoesNotWaitForTheOthers) {
  std::promise<void> returned;
  auto has_returned = returned.get_future();
  FakeRanks(2).run([&](const std::shared_ptr<Ranks>& ranks) {
    HalfCase().run(*ranks, [&](const Problem&, const void*, void*) {
      if (ranks->rank() == 0) return;
      EXPECT_EQ(has_returned.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    });
    if (ranks->rank() == 0) returned.set_value();
  });
}

// Sends to a rank that has gone, which takes no notice.
class Untaken : public Passing {
 public:
  using Passing::Passing;
  std::vector<std::uint64_t> wait(double seconds) override {
    std::vector<std::uint64_t> ids = Passing::wait(seconds);
    std::erase_if(ids, [](auto id) { return kind_of(id) == TransferKind::notice_out; });
    return ids;
  }
};

TEST(RouteRunTest, ANoticeThatIsNotTakenIsNotWaitedForWithoutEnd) {
  FakeRanks all(2);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
    if (ranks->rank() == 1) ranks->wait(5);  // so long that it gets a sign
    Untaken own(ranks);
    HalfCase().run(ranks->rank() == 0 ? own : *ranks, [](const Problem&, const void*, void*) {});
  });
  EXPECT_NE(ending_of(failures[0]).text.find("rank 1 of 2 sent nothing"), std::string::npos);
  EXPECT_TRUE(ending_of(failures[1]).is_good);
}

// Ranks that have all go on to the next run, whose messages meet others in the one before.
TEST(RouteRunTest, RunsThatFollowEachOtherMixNothing) {
  const FaultCase in_chunks, in_place = FaultCase::of_one_array();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeRanks all(4, seed);
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& ranks) {
      for (std::uint64_t run = 0; run < 20; ++run)
        (run % 3 == 0 ? in_place : in_chunks).run(*ranks, run % 3);
    });
    for (const std::exception_ptr& failure : failures) EXPECT_EQ(ending_of(failure).text, "");
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(RouteRunTest, RanksAreOfNoMoreUseAfterAFailure) {
  const FaultCase drawn;
  FakeRanks all(4);
  all.run([&](const std::shared_ptr<Ranks>& ranks) {
    EXPECT_THROW(drawn.run(*ranks, static_cast<std::uint64_t>(ranks->rank())), Error);
    EXPECT_THROW(ranks->wait(0), Error);
  });
}

}  // namespace
}  // namespace xpose
