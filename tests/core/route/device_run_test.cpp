// The order of a route's work on the streams of a device: any two uses of the same bytes, one of
// which writes them, must be ordered by the streams.
#include "route/device_run.hpp"

#include <cstring>

#include "fake_streams.hpp"

namespace xpose {
namespace {

// Rank 0 of two; the other one states what this one states, but for its array.
class FakeDeviceRanks : public DeviceRanks {
 public:
  FakeDeviceRanks(Streams& streams, bool reaches_others, bool exchange_waits, std::int64_t lines)
      : others_array(static_cast<std::size_t>(lines) * 512 * 4),
        streams_(streams),
        reaches_others_(reaches_others),
        exchange_waits_(exchange_waits) {}

  int rank() const override { return 0; }
  int size() const override { return 2; }
  Device device() const override { return {}; }
  void* stream() const override { return const_cast<char*>(&stream_); }
  bool reaches_others() const override { return reaches_others_; }
  bool may_map_arrays() const override { return maps != Maps::none; }
  // Notices begin with kind, answer, digest; the array's address, offset and process.
  std::vector<Notice> gather(const Notice& own, double) override {
    const bool begins = own[0] == std::byte{0};
    const int question = begins || !may_map_arrays() ? 0 : questions;
    if (question > 0) {  // the first part is being packed
      --questions;
    } else {
      // In place the others write to where was read.
      EXPECT_TRUE(begins ||
                  (in_place ? streams_.all_reads_have_ended() : streams_.all_have_ended()));
    }
    uses_before_gather.push_back(streams_.uses());
    ++gathers;
    Notice other = own;
    void* const array = others_array.data();
    std::memcpy(other.data() + 16, &array, sizeof array);
    if (maps == Maps::not_others) other[32] ^= std::byte{1};
    if (maps == Maps::not_this) other[4] = std::byte{0};
    if (question == 1) other[4] = std::byte{0};  // the other one does not meet in memory
    return {own, other};
  }
  void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                double) override {
    uses_before.push_back(streams_.uses());
    for (const Transfer& sent : sends) streams_.use(&stream_, sent.data, sent.bytes, false);
    for (const Transfer& wanted : receives) streams_.use(&stream_, wanted.data, wanted.bytes, true);
    if (exchange_waits_) streams_.wait_for(&stream_);
    ++exchanges;
  }
  bool exchange_waits() const override { return exchange_waits_; }
  void finish(double) override {
    ++finishes;
    streams_.wait_for(&stream_);
  }
  void abandon() noexcept override {}

  enum class Maps { none, both, not_this, not_others };
  Maps maps = Maps::none;
  int questions = 2;  // whether all reach what they write to, and meet in memory
  bool in_place = false;
  int gathers = 0, exchanges = 0, finishes = 0;
  std::vector<std::size_t> uses_before;         // each exchange
  std::vector<std::size_t> uses_before_gather;  // each of them
  std::vector<std::byte> others_array;

 private:
  Streams& streams_;
  bool reaches_others_, exchange_waits_;
  char stream_ = 0;
};

struct OneRun {
  struct Options {
    bool reaches_others, in_place = false;
    DevicePush::Policy push = {};
    std::int64_t memory = 1 << 20;
    std::int64_t lines = 192;
    bool exchange_waits = false;
    FakeDeviceRanks::Maps maps = FakeDeviceRanks::Maps::none;
  };
  // The rank sends `lines` lines of 256 elements, and keeps as many.
  explicit OneRun(const Options& stated)
      : options(stated),
        from(row_slabs(512, 2 * options.lines, 4, 2)),
        to(row_slabs(2 * options.lines, 512, 4, 2)),
        ranks(streams, options.reaches_others, options.exchange_waits, options.lines),
        in(static_cast<std::size_t>(2 * options.lines) * 256 * 4) {
    ranks.in_place = options.in_place;
    ranks.maps = options.maps;
    exchange.lay_out(0);
    run();
  }

  void run() {
    // The caller's work on its stream, which makes the input.
    streams.use(ranks.stream(), in.data(), in.size(), true);
    streams.use(ranks.stream(), out.data(), out.size(), false);
    report = DeviceRun({ranks, exchange, to, 1, 1 << 14, options.memory, 10, move, device_streams,
                        options.push, options.in_place},
                       options.in_place ? out.data() : in.data(), out.data())
                 .run([] {});
  }

  const Options options;
  Placement from, to;
  Streams streams;
  FakeBackend backend{streams};
  DeviceStreams device_streams{backend};
  FakeDeviceRanks ranks;
  Exchange exchange{from, to, true};
  std::vector<std::byte> in, out = in;
  // The whole arrays where the problem is in them: the input is read as a whole, the output by
  // bytes that no two tiles share.
  StreamMove move = [this](const Problem& problem, const void* source, void* target, void* stream) {
    const auto bytes = [&](std::int64_t rows, std::int64_t cols) {
      return static_cast<std::uint64_t>(rows * cols) * problem.element_bytes;
    };
    const auto is_in_array = [this](const void* data) {
      const auto is_in = [&](const std::vector<std::byte>& array) {
        return data >= array.data() && data < array.data() + array.size();
      };
      return is_in(in) || is_in(out);
    };
    const std::uint64_t dense = bytes(problem.rows, problem.cols);
    if (!problem.in_place)
      streams.use(stream, source, is_in_array(source) ? problem.element_bytes : dense, false);
    streams.use(stream, target, is_in_array(target) ? problem.element_bytes : dense, true);
  };
  RouteReport report;
};

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

// Lines of a KiB, of which a part has 128 KiB.
constexpr DevicePush::Policy kSmallParts{.first_part_bytes = 1 << 17,
                                         .most_part_bytes = 1 << 17,
                                         .least_copied_bytes = 1 << 17,
                                         .least_rectangle_bytes = 1 << 17};

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

TEST(DeviceRunTest, ArraysThatBothRanksMapAreWrittenTo) {
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

TEST(DeviceRunTest, WhereOneRankDoesNotMapAllSendMessages) {
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

TEST(DeviceRunTest, InPlaceArraysThatAreMappedAreWrittenToBetweenMeetings) {
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
