// Streams of a device that does nothing: any two uses of the same bytes, one of which writes them,
// must be ordered by the streams.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "device/device.hpp"

namespace xpose {

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
  std::size_t uses() const { return uses_.size(); }

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
  void upload(void* device, const void* host, std::uint64_t bytes) override {
    std::memcpy(device, host, bytes);
  }
  void download(void* host, const void* device, std::uint64_t bytes) override {
    std::memcpy(host, device, bytes);
  }
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
  void* make_stream(StreamShare) override { return &made_[count_++]; }
  void follow(void* stream, void* other) override { streams_.follow(stream, other); }
  void wait_for(void* stream) override { streams_.wait_for(stream); }
  // At every third look.
  bool has_ended(void* stream) override {
    if (++looks_ % 3 != 0) return false;
    streams_.wait_for(stream);
    return true;
  }
  void copy(void* to, const void* from, std::uint64_t bytes, void* stream) override {
    ++copies;
    streams_.use(stream, from, bytes, false);
    streams_.use(stream, to, bytes, true);
    std::memcpy(to, from, bytes);
  }
  double seconds(int, const std::function<void()>&, bool, const std::function<void()>&) override {
    return 0;
  }

  int copies = 0;

 private:
  Streams& streams_;
  DeviceInfo info_;
  std::array<char, 32> made_{};
  std::size_t count_ = 0, looks_ = 0;
};

}  // namespace xpose
