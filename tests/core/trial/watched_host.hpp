// The host as a device whose caches a test watches.
#pragma once

#include "device/device.hpp"

namespace xpose {

class WatchedHost : public Backend {
 public:
  const DeviceInfo& info() const override { return host_.info(); }
  void make_current() override {}
  void* allocate(std::uint64_t bytes) override { return host_.allocate(bytes); }
  void release(void* memory) noexcept override { host_.release(memory); }
  void upload(void* device, const void* host, std::uint64_t bytes) override {
    host_.upload(device, host, bytes);
  }
  void download(void* host, const void* device, std::uint64_t bytes) override {
    host_.download(host, device, bytes);
  }
  std::uint64_t free_bytes() override { return host_.free_bytes(); }
  std::optional<std::uint64_t> first_difference(const void* a, const void* b,
                                                std::uint64_t bytes) override {
    return host_.first_difference(a, b, bytes);
  }
  void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) override {
    host_.fill(pattern, data, from, to);
  }
  std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                          std::uint64_t from, std::uint64_t to) override {
    return host_.difference(pattern, data, from, to);
  }
  void copy_rows(const RowsCopy& copy, void* stream) override { host_.copy_rows(copy, stream); }
  void set_spots(const Spots& spots) override { host_.set_spots(spots); }
  std::optional<std::uint32_t> wrong_spot(const Spots& spots) override {
    return host_.wrong_spot(spots);
  }
  void clean_cache(std::initializer_list<std::span<const std::byte>>) override { ++cleanings; }
  void drop_lines(std::span<const std::byte>) override { ++dropped; }
  void synchronize() override {}
  bool is_capturing(void*) override { return false; }
  double seconds(int calls, const std::function<void()>& call, bool long_ones,
                 const std::function<void()>& before) override {
    launches += calls;
    const double taken = host_.seconds(calls, call, long_ones, before);
    return seconds_of_a_launch ? calls * *seconds_of_a_launch : taken;
  }

  std::optional<double> seconds_of_a_launch;  // by its clock; none: the host's
  int cleanings = 0;
  int dropped = 0;   // buffers
  int launches = 0;  // timed ones

 private:
  Backend& host_ = backend(Device{});
};

}  // namespace xpose
