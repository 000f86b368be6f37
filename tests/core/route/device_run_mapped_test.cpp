// Runs whose ranks may map each other's arrays: what they agree on, and what follows from it.
#include "device_run_case.hpp"

namespace xpose {
namespace {

TEST(DeviceRunMappedTest, ArraysThatBothRanksMapAreWrittenTo) {
  OneRun run({.reaches_others = false,
              .push = kSmallParts,
              .lines = 600,
              .maps = FakeDeviceRanks::Maps::both});
  EXPECT_EQ(run.ranks.exchanges, 0);
  EXPECT_EQ(run.backend.copies, 5);
  EXPECT_EQ(run.ranks.gathers, 4);  // at the begin, for two answers, and at the end
  EXPECT_EQ(run.ranks.finishes, 1);
  EXPECT_TRUE(run.streams.all_have_ended());
  run.run();
  EXPECT_EQ(run.backend.copies, 10);
  EXPECT_EQ(run.ranks.gathers, 6);  // the arrays are where they were
  // An array in another allocation is asked for again.
  run.ranks.others_array = std::vector<std::byte>(run.ranks.others_array.size() + 1);
  run.ranks.questions = 2;
  run.run();
  EXPECT_EQ(run.ranks.gathers, 10);
  EXPECT_EQ(run.ranks.exchanges, 0);
}

TEST(DeviceRunMappedTest, WhereOneRankDoesNotMapAllSendMessages) {
  for (const auto maps : {FakeDeviceRanks::Maps::not_this, FakeDeviceRanks::Maps::not_others}) {
    OneRun run({.reaches_others = false, .push = kSmallParts, .maps = maps});
    EXPECT_EQ(run.backend.copies, 0);
    EXPECT_EQ(run.ranks.exchanges, 12);
    EXPECT_EQ(run.ranks.gathers, 3);  // at the begin, for the answers, and before the messages
    EXPECT_TRUE(run.streams.all_have_ended());
    run.run();
    EXPECT_EQ(run.ranks.exchanges, 24);
    EXPECT_EQ(run.ranks.gathers, 4);  // nobody asks again
  }
}

TEST(DeviceRunMappedTest, InPlaceArraysThatAreMappedAreWrittenToBetweenMeetings) {
  OneRun run({.reaches_others = false,
              .in_place = true,
              .lines = 256,
              .maps = FakeDeviceRanks::Maps::both});
  EXPECT_EQ(run.ranks.exchanges, 0);
  EXPECT_EQ(run.report.chunks_sent, 16);
  EXPECT_EQ(run.ranks.gathers, 20);
  EXPECT_EQ(run.ranks.finishes, 1);
  OneRun one_way({.reaches_others = false,
                  .in_place = true,
                  .lines = 256,
                  .maps = FakeDeviceRanks::Maps::not_others});
  EXPECT_EQ(one_way.ranks.exchanges, 16);
  EXPECT_EQ(one_way.ranks.gathers, 3);
}

}  // namespace
}  // namespace xpose
