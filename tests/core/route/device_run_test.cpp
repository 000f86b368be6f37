// The order of a route's work on the streams of a device: any two uses of the same bytes, one of
// which writes them, must be ordered by the streams.
#include "route/device_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

namespace xpose {
namespace {

// How much of every stream's work comes before something.
using Clock = std::map<const void*, int>;

// Streams that do nothing and know what was launched on them.
class Streams {
 public:
  void follow(const void* stream, const void* other) {
    for (const auto& [source, count] : clocks_[other])
      clocks_[stream][source] = std::max(clocks_[stream][source], count);
  }
  void use(const void* stream, const void* data, std::uint64_t bytes, bool writes) {
    ++clocks_[stream][stream];
    const auto* const begin = static_cast<const std::byte*>(data);
    for (const Use& before : uses_) {
      if (begin >= before.end || before.begin >= begin + bytes) continue;
      if (!writes && !before.writes) continue;
      EXPECT_GE(std::max(clocks_[stream][before.stream], ended[before.stream]), before.count)
          << "use " << uses_.size() << " does not wait for an earlier one of the same bytes";
      ++ordered;
    }
    uses_.push_back({begin, begin + bytes, stream, clocks_[stream][stream], writes});
  }
  // Everything on the stream has ended now, and what is launched from now on comes after it.
  void wait_for(const void* stream) {
    for (const auto& [source, count] : clocks_[stream])
      ended[source] = std::max(ended[source], count);
  }
  bool all_have_ended() {
    return std::ranges::all_of(uses_,
                               [&](const Use& use) { return ended[use.stream] >= use.count; });
  }
  bool all_reads_have_ended() {
    return std::ranges::all_of(
        uses_, [&](const Use& use) { return use.writes || ended[use.stream] >= use.count; });
  }
  std::size_t stream_count() const { return clocks_.size(); }

  int ordered = 0;
  Clock ended;

 private:
  struct Use {
    const std::byte *begin, *end;
    const void* stream;
    int count;
    bool writes;
  };
  std::map<const void*, Clock> clocks_;
  std::deque<Use> uses_;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(Streams& streams) : streams_(streams) {}

  const DeviceInfo& info() const override { return info_; }
  void make_current() override {}
  void* allocate(std::uint64_t bytes) override { return ::operator new(bytes); }
  void release(void* memory) noexcept override { ::operator delete(memory); }
  void upload(void*, const void*, std::uint64_t) override {}
  void download(void*, const void*, std::uint64_t) override {}
  std::uint64_t free_bytes() override { return 0; }
  std::optional<std::uint64_t> first_difference(const void*, const void*, std::uint64_t) override {
    return std::nullopt;
  }
  void fill(const Pattern&, void*, std::uint64_t, std::uint64_t) override {}
  std::optional<std::uint64_t> difference(const Pattern&, const void*, std::uint64_t,
                                          std::uint64_t) override {
    return std::nullopt;
  }
  void copy_rows(const RowsCopy& copy, void* stream) override {
    ++copies;
    for (std::uint64_t row = 0; row < copy.rows; ++row) {
      streams_.use(stream, static_cast<const std::byte*>(copy.from) + row * copy.from_pitch,
                   copy.bytes, false);
      streams_.use(stream, static_cast<std::byte*>(copy.to) + row * copy.to_pitch, copy.bytes,
                   true);
    }
  }
  void set_spots(const Spots&) override {}
  std::optional<std::uint32_t> wrong_spot(const Spots&) override { return std::nullopt; }
  void clean_cache(std::initializer_list<std::span<const std::byte>>) override {}
  void synchronize() override {}
  bool is_capturing(void*) override { return false; }
  void* make_stream() override { return &made_[count_++]; }
  void follow(void* stream, void* other) override { streams_.follow(stream, other); }
  void wait_for(void* stream) override { streams_.wait_for(stream); }
  double seconds(int, const std::function<void()>&, bool, const std::function<void()>&) override {
    return 0;
  }

  int copies = 0;

 private:
  Streams& streams_;
  DeviceInfo info_;
  std::array<char, 8> made_{};
  std::size_t count_ = 0;
};

// Rank 0 of two; the other one states what this one states, but for its array.
class FakeDeviceRanks : public DeviceRanks {
 public:
  FakeDeviceRanks(Streams& streams, bool reaches_others, std::int64_t lines)
      : others_array(static_cast<std::size_t>(lines) * 512 * 4),
        streams_(streams),
        reaches_others_(reaches_others) {}

  int rank() const override { return 0; }
  int size() const override { return 2; }
  Device device() const override { return {}; }
  void* stream() const override { return const_cast<char*>(&stream_); }
  bool reaches_others() const override { return reaches_others_; }
  std::vector<Notice> gather(const Notice& own, double) override {
    // In place the others write to where was read.
    EXPECT_TRUE(gathers == 0 ||
                (in_place ? streams_.all_reads_have_ended() : streams_.all_have_ended()));
    ++gathers;
    Notice other = own;
    void* const array = others_array.data();
    std::memcpy(other.data() + 16, &array, sizeof array);  // after kind and digest
    return {own, other};
  }
  void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                double) override {
    for (const Transfer& sent : sends) streams_.use(&stream_, sent.data, sent.bytes, false);
    for (const Transfer& wanted : receives) streams_.use(&stream_, wanted.data, wanted.bytes, true);
    ++exchanges;
  }
  void finish(double) override {
    ++finishes;
    streams_.wait_for(&stream_);
  }
  void abandon() noexcept override {}

  bool in_place = false;
  int gathers = 0, exchanges = 0, finishes = 0;
  std::vector<std::byte> others_array;

 private:
  Streams& streams_;
  bool reaches_others_;
  char stream_ = 0;
};

struct OneRun {
  struct Options {
    bool reaches_others, in_place = false;
    DevicePush::Policy push = {};
    std::int64_t memory = 1 << 20;
    std::int64_t lines = 192;
  };
  // The rank sends `lines` lines of 256 elements, and keeps as many.
  explicit OneRun(const Options& options)
      : from(row_slabs(512, 2 * options.lines, 4, 2)),
        to(row_slabs(2 * options.lines, 512, 4, 2)),
        ranks(streams, options.reaches_others, options.lines),
        in(static_cast<std::size_t>(2 * options.lines) * 256 * 4) {
    ranks.in_place = options.in_place;
    exchange.lay_out(0);
    // The caller's work on its stream, which makes the input.
    streams.use(ranks.stream(), in.data(), in.size(), true);
    streams.use(ranks.stream(), out.data(), out.size(), false);
    report = DeviceRun({ranks, exchange, to, 1, 1 << 14, options.memory, 10, move, device_streams,
                        options.push, options.in_place},
                       options.in_place ? out.data() : in.data(), out.data())
                 .run([] {});
  }

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
constexpr DevicePush::Policy kSmallParts{.least_part_bytes = 1 << 14, .most_part_bytes = 1 << 17};

TEST(DeviceRunTest, LongRunsAreCopiedWhileTheNextPartIsPacked) {
  OneRun run({.reaches_others = true, .push = kSmallParts, .memory = 1 << 18, .lines = 600});
  EXPECT_EQ(run.backend.copies, 5);
  EXPECT_EQ(run.report.chunks_sent, 5);
  EXPECT_EQ(run.report.bytes_sent, 256 * 600 * 4);
  EXPECT_EQ(run.report.bytes_kept, 256 * 600 * 4);
  EXPECT_GT(run.streams.ordered, 600);  // each row is packed before it leaves
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
  const DevicePush::Policy of_short_runs{.least_run_bytes = 64 * 4};
  OneRun copied({.reaches_others = true, .in_place = true, .push = of_short_runs, .lines = 256});
  EXPECT_EQ(copied.backend.copies, 16);
  EXPECT_TRUE(copied.streams.all_have_ended());
}

}  // namespace
}  // namespace xpose
