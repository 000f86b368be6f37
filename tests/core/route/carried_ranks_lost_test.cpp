// Carried ranks of which one is lost, late or fails.
#include "carried_case.hpp"

namespace xpose {
namespace {

constexpr int kRuns = 2;  // behind one in which the ranks are made

// A rank that dies or stops in its n-th call to the carrier, for every n, is named by all others.
void expect_named(const std::shared_ptr<Ranks>& own, bool is_direct) {
  const auto ranks = carried_ranks(own, {}, {.may_be_direct = is_direct, .memory = 1200});
  for (int run = 0; run < kRuns; ++run) {
    try {
      ranks->gather(notice_of(0), 60);
      exchange_among_all(*ranks);
      ranks->finish(60);
    } catch (const Error&) {
      ranks->abandon();
      ranks->abandon();
      EXPECT_THROW(ranks->gather(notice_of(0), 1), Error);
      EXPECT_THROW(ranks->exchange({}, {}, 1), Error);
      EXPECT_THROW(ranks->finish(1), Error);
      throw;
    }
  }
}

struct Lost {
  int met = 0, named = 0;
};

// Whether the rank was lost at all. One that is lost while it says that it is done leaves some of
// the others in their next run, where they miss all that wait for it. One that has said so in its
// last run is not missed.
bool lose(const RankFault& fault, bool is_direct, Lost& lost) {
  FakeRanks all(4, 1, fault);
  const auto texts =
      texts_of(all, [&](const std::shared_ptr<Ranks>& own) { expect_named(own, is_direct); });
  if (!all.fault_happened()) return false;
  ++lost.met;
  constexpr std::uint32_t kDone = 1;
  const auto done = std::ranges::count(all.notices(fault.rank), kDone);
  if (done % 3 != 0) return true;
  for (const int rank : {0, 1, 3}) {
    const std::string& text = texts[static_cast<std::size_t>(rank)];
    if (done == 3 * (1 + kRuns)) {
      EXPECT_EQ(text, "") << ", call " << fault.call;
      continue;
    }
    ++lost.named;
    EXPECT_NE(text.find("rank 2 of 4 sent nothing for 60 seconds"), std::string::npos)
        << text << ", call " << fault.call;
  }
  return true;
}

TEST(CarriedRanksTest, ARankThatIsLostInAnyCallIsNamedOnAllOthers) {
  Lost lost;
  for (const bool is_direct : {false, true})
    for (const bool is_stop : {false, true})
      for (int call = 1; lose({2, call, is_stop}, is_direct, lost); call += 7) {
      }
  EXPECT_GT(lost.met, 40);
  EXPECT_GT(lost.named, 2 * lost.met);
}

TEST(CarriedRanksTest, ALateRankIsNamedWhereTheRanksAreMade) {
  FakeRanks all(3);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    if (own->rank() != 1) carried_ranks(own, {}, {.seconds = 7});
  });
  for (const std::size_t rank : {0, 2})
    EXPECT_NE(texts[rank].find("rank 1 of 3 sent nothing for 7 seconds: it has ended, is stopped, "
                               "or has not run the route"),
              std::string::npos)
        << texts[rank];
}

TEST(CarriedRanksTest, TheReasonOfAFailureIsToldToTheOthers) {
  FakeRanks all(3);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    const auto ranks = carried_ranks(own, {}, {});
    ranks->gather(notice_of(0), 60);
    try {
      if (own->rank() == 1) throw Error(ErrorKind::no_memory, "no memory is left");
      exchange_among_all(*ranks);
    } catch (const Error&) {
      ranks->abandon();
      throw;
    }
  });
  for (const std::size_t rank : {0, 2})
    EXPECT_NE(texts[rank].find("rank 1 gave up the route: no memory is left"), std::string::npos)
        << texts[rank];
}

}  // namespace
}  // namespace xpose
