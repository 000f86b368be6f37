// Rank 0 of a route between two devices that do nothing, on streams that know the order of all uses
// of the same bytes.
#pragma once

#include <cstring>

#include "fake_streams.hpp"
#include "route/device_run.hpp"

namespace xpose {

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

// Lines of a KiB, of which a part has 128 KiB.
inline constexpr DevicePush::Policy kSmallParts{.first_part_bytes = 1 << 17,
                                                .most_part_bytes = 1 << 17,
                                                .least_copied_bytes = 1 << 17,
                                                .least_rectangle_bytes = 1 << 17};

}  // namespace xpose
