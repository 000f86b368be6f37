#include "device/device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device/host_cache.hpp"
#include "device/host_machine.hpp"
#include "device/memory_limits.hpp"
#include "threads/parallel.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;

class HostBackend final : public Backend {
 public:
  HostBackend() {
    info_.device = {DeviceKind::host, 0};
    info_.name = processor_name();
    info_.id = "host";
    info_.multiprocessors = machine_processors();
    info_.cache_bytes = last_level_cache();
    info_.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

  const DeviceInfo& info() const override { return info_; }
  void make_current() override {}

  void* allocate(std::uint64_t bytes) override {
    return checked(allocate_or_null(bytes, bytes < kHugePage ? 256 : kHugePage), bytes);
  }
  void* allocate_pages(std::uint64_t bytes) override {
    return checked(allocate_or_null(bytes, page_bytes()), bytes);
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* device, const void* host, std::uint64_t bytes) override {
    std::memcpy(device, host, bytes);
  }
  void download(void* host, const void* device, std::uint64_t bytes) override {
    std::memcpy(host, device, bytes);
  }
  std::uint64_t free_bytes() override {
    return std::min(available_memory(), memory_left_by_groups());
  }

  std::optional<std::uint64_t> first_difference(const void* a, const void* b,
                                                std::uint64_t bytes) override {
    const auto* x = static_cast<const std::byte*>(a);
    const auto* y = static_cast<const std::byte*>(b);
    std::atomic<std::uint64_t> first = bytes;
    in_parallel(static_cast<std::int64_t>(bytes), 4 << 20,
                [&](std::int64_t begin, std::int64_t end) {
                  constexpr std::int64_t kStep = 1 << 16;
                  for (std::int64_t at = begin; at < end; at += kStep) {
                    const auto length = static_cast<std::size_t>(std::min(kStep, end - at));
                    if (std::memcmp(x + at, y + at, length) == 0) continue;
                    const auto found = static_cast<std::uint64_t>(
                        std::mismatch(x + at, x + at + length, y + at).first - x);
                    std::uint64_t known = first;
                    while (found < known && !first.compare_exchange_weak(known, found)) {
                    }
                    return;
                  }
                });
    if (first == bytes) return std::nullopt;
    return first;
  }

  void fill(const Pattern& pattern, void* data, std::uint64_t from, std::uint64_t to) override {
    fill_pattern(pattern, static_cast<std::byte*>(data) + from, from, to);
  }
  std::optional<std::uint64_t> difference(const Pattern& pattern, const void* data,
                                          std::uint64_t from, std::uint64_t to) override {
    return pattern_difference(pattern, static_cast<const std::byte*>(data) + from, from, to);
  }

  void copy_rows(const RowsCopy& copy, void*) override {
    for (std::uint64_t row = 0; row < copy.rows; ++row)
      std::memcpy(static_cast<std::byte*>(copy.to) + row * copy.to_pitch,
                  static_cast<const std::byte*>(copy.from) + row * copy.from_pitch, copy.bytes);
  }
  void set_spots(const Spots& spots) override {
    for (std::uint32_t i = 0; i < spots.count(); ++i) set_spot(spots, i);
  }
  std::optional<std::uint32_t> wrong_spot(const Spots& spots) override {
    for (std::uint32_t i = 0; i < spots.count(); ++i)
      if (!is_spot_right(spots, i)) return i;
    return std::nullopt;
  }

  void clean_cache(std::initializer_list<std::span<const std::byte>> buffers) override {
    // More than fits: what is replaced is not always the oldest.
    const std::uint64_t bytes = info_.cache_bytes + info_.cache_bytes / 2;
    std::uint64_t buffered = 0;
    for (const auto& buffer : buffers) buffered += buffer.size();
    if (buffered <= bytes && std::ranges::all_of(buffers, drop_from_caches)) return;
    if (clean_ == nullptr) {
      clean_ = static_cast<std::byte*>(allocate_or_null(bytes, kHugePage));
      if (clean_ == nullptr) return;
      std::memset(clean_, 1, bytes);  // pages of its own, not one of zeros for all
    }
    for (std::uint64_t at = 0; at < bytes; at += 64)
      static_cast<void>(*static_cast<const volatile std::byte*>(clean_ + at));
  }

  void drop_lines(std::span<const std::byte> buffer) override { (void)drop_from_caches(buffer); }

  void synchronize() override {}
  bool is_capturing(void*) override { return false; }
  double seconds(int calls, const std::function<void()>& call, bool,
                 const std::function<void()>& before) override {
    if (before) before();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  static void* checked(void* memory, std::uint64_t bytes) {
    if (memory == nullptr)
      throw Error(ErrorKind::no_memory, "the host cannot allocate " + std::to_string(bytes) +
                                            " bytes; end other programs, or move less at a time");
    return memory;
  }
  static void* allocate_or_null(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t rounded =
        (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
    // A transpose walks across pages at every step. Where the kernel declines, pages are small.
    if (memory != nullptr && alignment == kHugePage)
      (void)::madvise(memory, rounded, MADV_HUGEPAGE);
    return memory;
  }

  DeviceInfo info_{};
  std::byte* clean_ = nullptr;  // of clean_cache(); kept, as the backend is
};

HostBackend& host_backend() {
  static auto* host = new HostBackend;
  return *host;
}

}  // namespace

#ifndef XPOSE_WITH_CUDA
std::vector<Backend*> cuda_backends() { return {}; }
std::string cuda_reason() { return "built without CUDA"; }
#endif

Backend& backend(Device device) {
  if (device.kind == DeviceKind::host && device.ordinal == 0) return host_backend();
  if (device.kind == DeviceKind::host)
    throw Error(ErrorKind::invalid, "there is no host " + std::to_string(device.ordinal) +
                                        ": the host is one device, with the ordinal 0");
  if (device.kind != DeviceKind::cuda)
    throw Error(ErrorKind::invalid, "there is no device of kind " +
                                        std::to_string(static_cast<int>(device.kind)) +
                                        ": use DeviceKind::host or DeviceKind::cuda");
  const std::vector<Backend*> all = cuda_backends();
  if (device.ordinal >= 0 && static_cast<std::size_t>(device.ordinal) < all.size())
    return *all[static_cast<std::size_t>(device.ordinal)];
  const std::string reason = cuda_reason();
  throw Error(ErrorKind::device,
              to_string(device) + " cannot be used: " +
                  (reason.empty() ? "this machine has " + std::to_string(all.size()) +
                                        " CUDA device(s), numbered from 0"
                                  : reason) +
                  "; every machine has the device host");
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> infos = {host_backend().info()};
  for (const Backend* cuda : cuda_backends()) infos.push_back(cuda->info());
  return infos;
}

std::string cuda_unavailable_reason() { return cuda_reason(); }

std::uint64_t free_memory(Device device) { return backend(device).free_bytes(); }

Device parse_device(std::string_view given) {
  std::string_view text = given;
  if (text == "host") return {DeviceKind::host, 0};
  if (text == "auto") return cuda_backends().empty() ? Device{} : Device{DeviceKind::cuda, 0};
  Device device{DeviceKind::cuda, 0};
  if (text.starts_with("cuda:")) {
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data() + 5, end, device.ordinal);
    if (error != std::errc() || parsed != end || device.ordinal < 0) text = "";
  } else if (text != "cuda") {
    text = "";
  }
  if (text.empty())
    throw Error(ErrorKind::invalid,
                '\'' + one_line(given, 128) +
                    "' is no device: write auto, host, cuda or cuda:N with N from 0");
  backend(device);
  return device;
}

struct DeviceMemory::Impl {
  Backend& backend;
  DeviceBuffer buffer;
};

DeviceMemory::DeviceMemory(Device device, std::uint64_t bytes) {
  Backend& owner = backend(device);
  owner.make_current();
  impl_ = std::make_unique<Impl>(Impl{owner, DeviceBuffer(owner, bytes)});
}
DeviceMemory::~DeviceMemory() = default;
DeviceMemory::DeviceMemory(DeviceMemory&&) noexcept = default;
DeviceMemory& DeviceMemory::operator=(DeviceMemory&&) noexcept = default;

void* DeviceMemory::data() const { return impl_->buffer.data(); }
std::uint64_t DeviceMemory::bytes() const { return impl_->buffer.bytes(); }

void DeviceMemory::upload(const void* host, std::uint64_t bytes) {
  if (bytes > this->bytes()) throw Error(ErrorKind::invalid, "upload is larger than the memory");
  impl_->backend.make_current();
  impl_->backend.upload(data(), host, bytes);
}

void DeviceMemory::download(void* host, std::uint64_t bytes) const {
  if (bytes > this->bytes()) throw Error(ErrorKind::invalid, "download is larger than the memory");
  impl_->backend.make_current();
  impl_->backend.synchronize();
  impl_->backend.download(host, data(), bytes);
}

}  // namespace xpose
