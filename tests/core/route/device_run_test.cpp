// The order of a route's work on the streams of a device: any two uses of the same bytes, one of
// which writes them, must be ordered by the streams.
#include "device_run_case.hpp"

namespace xpose {
namespace {

TEST(DeviceRunTest, ChunksOnTheirWayAreInOrderWithPackingAndUnpacking) {
  OneRun run({.reaches_others = false});
  EXPECT_EQ(run.report.messages_sent, 1);
  // A chunk has 16 KiB and a line of the message 1 KiB, so that 192 lines are 12 chunks.
  EXPECT_EQ(run.report.chunks_sent, 12);
  EXPECT_EQ(run.ranks.exchanges, 12);
  EXPECT_EQ(run.ranks.gathers, 1);
  EXPECT_EQ(run.ranks.finishes, 1);
  EXPECT_GT(run.streams.ordered, 4 * 12);
  EXPECT_EQ(run.streams.stream_count(), 4U);
  EXPECT_TRUE(run.streams.all_have_ended());
}

TEST(DeviceRunTest, WorkBesideAnExchangeThatWaitsIsBegunBefore) {
  for (const bool in_place : {false, true}) {
    const std::int64_t lines = in_place ? 256 : 192;
    OneRun begins({.reaches_others = false, .in_place = in_place, .lines = lines});
    OneRun waits(
        {.reaches_others = false, .in_place = in_place, .lines = lines, .exchange_waits = true});
    ASSERT_EQ(waits.ranks.exchanges, begins.ranks.exchanges);
    EXPECT_GT(waits.streams.ordered, 4 * waits.ranks.exchanges);
    EXPECT_TRUE(waits.streams.all_have_ended());
    for (std::size_t chunk = 0; chunk < waits.ranks.uses_before.size(); ++chunk)
      EXPECT_GT(waits.ranks.uses_before[chunk], begins.ranks.uses_before[chunk]) << chunk;
  }
}

TEST(DeviceRunTest, PushesWaitForTheInputAndEndBeforeTheRanksPart) {
  OneRun run({.reaches_others = true});
  EXPECT_EQ(run.report.messages_sent, 1);
  EXPECT_EQ(run.report.bytes_sent, 256 * 192 * 4);
  EXPECT_EQ(run.report.bytes_kept, 256 * 192 * 4);
  EXPECT_EQ(run.ranks.exchanges, 0);
  EXPECT_EQ(run.ranks.gathers, 2);
  EXPECT_GT(run.streams.ordered, 0);
  EXPECT_TRUE(run.streams.all_have_ended());
}

TEST(DeviceRunTest, LongRunsAreCopiedWhileTheNextPartIsPacked) {
  OneRun run({.reaches_others = true, .push = kSmallParts, .memory = 1 << 18, .lines = 600});
  EXPECT_EQ(run.backend.copies, 5);
  EXPECT_EQ(run.report.chunks_sent, 5);
  EXPECT_EQ(run.report.bytes_sent, 256 * 600 * 4);
  EXPECT_EQ(run.report.bytes_kept, 256 * 600 * 4);
  EXPECT_GT(run.streams.ordered, 600);  // each row is packed before it leaves
  EXPECT_TRUE(run.streams.all_have_ended());
}

TEST(DeviceRunTest, PartsGrowAndTheFirstIsBeingPackedBeforeTheRanksMeet) {
  DevicePush::Policy growing = kSmallParts;
  growing.most_part_bytes = 1 << 20;
  growing.growth = 2;
  OneRun run({.reaches_others = true, .push = growing, .memory = 1 << 20, .lines = 1000});
  EXPECT_EQ(run.backend.copies, 4);  // of 128, 256, 512 and 104 lines
  EXPECT_TRUE(run.streams.all_have_ended());
  // The caller's two, and the input and the slot of one part.
  ASSERT_EQ(run.ranks.uses_before_gather.size(), 2U);
  EXPECT_EQ(run.ranks.uses_before_gather[0], 2U + 2U);

  growing.most_part_bytes = 1 << 17;
  OneRun limited({.reaches_others = true, .push = growing, .memory = 1 << 20, .lines = 1000});
  EXPECT_EQ(limited.backend.copies, 8);
}

TEST(DeviceRunTest, ShortMessagesAreStored) {
  DevicePush::Policy longer = kSmallParts;
  longer.least_copied_bytes = 256 * 600 * 4 + 1;
  OneRun run({.reaches_others = true, .push = longer, .memory = 1 << 20, .lines = 600});
  EXPECT_EQ(run.backend.copies, 0);
  EXPECT_TRUE(run.streams.all_have_ended());
}

TEST(DeviceRunTest, ShortRunsAndPartsBeyondTheMemoryAreStoredByKernels) {
  DevicePush::Policy longer = kSmallParts;
  longer.least_run_bytes = 1025;
  const auto copies = [](const DevicePush::Policy& push, std::int64_t memory) {
    return OneRun({.reaches_others = true, .push = push, .memory = memory}).backend.copies;
  };
  EXPECT_EQ(copies(longer, 1 << 20), 0);
  EXPECT_EQ(copies(kSmallParts, (1 << 18) - 1), 0);
  EXPECT_EQ(copies(kSmallParts, 1 << 18), 2);
}

// Chunks of 64 x 64 elements, of a message of 256 x 256: what comes to a place waits for the
// packing of what lay there.
TEST(DeviceRunTest, InPlaceChunksComeToPlacesThatAreFree) {
  OneRun run({.reaches_others = false, .in_place = true, .lines = 256});
  EXPECT_EQ(run.report.messages_sent, 1);
  EXPECT_EQ(run.report.chunks_sent, 16);
  EXPECT_EQ(run.ranks.exchanges, 16);
  EXPECT_EQ(run.ranks.gathers, 1);
  EXPECT_GT(run.streams.ordered, 5 * 16);
  EXPECT_TRUE(run.streams.all_have_ended());
}

TEST(DeviceRunTest, InPlaceWritesToTheOthersLieBetweenMeetings) {
  OneRun run({.reaches_others = true, .in_place = true, .lines = 256});
  EXPECT_EQ(run.report.messages_sent, 1);
  EXPECT_EQ(run.report.chunks_sent, 16);
  EXPECT_EQ(run.report.bytes_kept, 256 * 256 * 4);
  EXPECT_EQ(run.ranks.exchanges, 0);
  // At the begin, once each chunk is packed, and at the end.
  EXPECT_EQ(run.ranks.gathers, 18);
  EXPECT_GT(run.streams.ordered, 2 * 16);
  EXPECT_TRUE(run.streams.all_have_ended());
  EXPECT_EQ(run.backend.copies, 0);
  const DevicePush::Policy of_short_runs{.least_run_bytes = 64 * 4,
                                         .least_rectangle_bytes = 64 * 64 * 4};
  OneRun copied({.reaches_others = true, .in_place = true, .push = of_short_runs, .lines = 256});
  EXPECT_EQ(copied.backend.copies, 16);
  EXPECT_TRUE(copied.streams.all_have_ended());
}

}  // namespace
}  // namespace xpose
