#include <algorithm>
#include <cstring>
#include <vector>

#include "device/buffer_kernels.cuh"
#include "device/cuda_buffers.hpp"
#include "device/cuda_check.hpp"

namespace xpose {
namespace {

constexpr unsigned kThreads = 256;

// Whether the kernel just launched was started. Where there is no memory for it, it was not, and
// the host does its work: the runtime loads a kernel at its first launch, and where that fails
// once, all later launches in the process fail like it, with memory or without.
bool started(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) return false;
  check(status, what);
  return true;
}

// Calls find(at, piece) for host memory as long as each piece of [from, to), until it finds
// something.
template <class Find>
std::optional<std::uint64_t> first_in_pieces(std::uint64_t from, std::uint64_t to,
                                             const Find& find) {
  constexpr std::uint64_t kPieceBytes = 32 << 20;
  std::vector<std::byte> piece;
  for (std::uint64_t at = from; at < to; at += piece.size()) {
    piece.resize(std::min(kPieceBytes, to - at));
    if (const std::optional<std::uint64_t> found = find(at, piece)) return found;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> first_difference_on_host(const void* a, const void* b,
                                                      std::uint64_t bytes) {
  std::vector<std::byte> y;
  return first_in_pieces(0, bytes, [&](std::uint64_t at, std::vector<std::byte>& x) {
    y.resize(x.size());
    copy_from_device(x.data(), static_cast<const std::byte*>(a) + at, x.size());
    copy_from_device(y.data(), static_cast<const std::byte*>(b) + at, y.size());
    const auto other = std::ranges::mismatch(x, y).in1;
    return other == x.end() ? std::optional<std::uint64_t>()
                            : at + static_cast<std::uint64_t>(other - x.begin());
  });
}

}  // namespace

void copy_to_device(void* device, const void* host, std::uint64_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copying to the device");
}

void copy_from_device(void* host, const void* device, std::uint64_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copying from the device");
}

unsigned CudaBuffers::blocks_for(std::uint64_t bytes) const {
  return static_cast<unsigned>(std::min<std::uint64_t>(bytes / (std::uint64_t{16} * kThreads) + 1,
                                                       multiprocessors_ * std::uint64_t{16}));
}

// Starts a kernel that lowers a number, and reads it; what cannot be started is looked for on the
// host.
template <class Start, class OnTheHost>
std::optional<std::uint64_t> CudaBuffers::least(const Start& start, const OnTheHost& on_the_host) {
  const std::lock_guard lock(mutex_);
  if (least_ == nullptr) check(cudaMalloc(&least_, sizeof *least_), "allocating a number");
  copy_to_device(least_, &kNoDifference, sizeof kNoDifference);
  start(least_);
  if (!started("comparing on the device")) return on_the_host();
  unsigned long long found = kNoDifference;
  copy_from_device(&found, least_, sizeof found);
  if (found == kNoDifference) return std::nullopt;
  return found;
}

std::optional<std::uint64_t> CudaBuffers::first_difference(const void* a, const void* b,
                                                           std::uint64_t bytes) {
  const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  const auto on_the_host = [&] { return first_difference_on_host(a, b, bytes); };
  if (bytes == 0) return std::nullopt;
  if (misaligned(a) != 0 || misaligned(b) != 0)
    return on_the_host();  // rare and short: guard zones, misaligned payloads of copies
  return least(
      [&](unsigned long long* first) {
        find_first_difference<<<blocks_for(bytes), kThreads>>>(
            static_cast<const uint4*>(a), static_cast<const uint4*>(b), bytes, first);
      },
      on_the_host);
}

void CudaBuffers::fill(const Pattern& pattern, void* data, std::uint64_t from,
                       std::uint64_t to) const {
  auto* const bytes = static_cast<std::byte*>(data);
  fill_chunks<<<blocks_for(to - from), kThreads>>>(pattern, bytes, from, to);
  if (started("filling a buffer on the device")) return;
  first_in_pieces(from, to, [&](std::uint64_t at, std::vector<std::byte>& piece) {
    fill_pattern(pattern, piece.data(), at, at + piece.size());
    copy_to_device(bytes + at, piece.data(), piece.size());
    return std::optional<std::uint64_t>();
  });
}

std::optional<std::uint64_t> CudaBuffers::difference(const Pattern& pattern, const void* data,
                                                     std::uint64_t from, std::uint64_t to) {
  if (from == to) return std::nullopt;
  const auto* const bytes = static_cast<const std::byte*>(data);
  return least(
      [&](unsigned long long* first) {
        compare_chunks<<<blocks_for(to - from), kThreads>>>(pattern, bytes, from, to, first);
      },
      [&] {
        return first_in_pieces(from, to, [&](std::uint64_t at, std::vector<std::byte>& piece) {
          copy_from_device(piece.data(), bytes + at, piece.size());
          return pattern_difference(pattern, piece.data(), at, at + piece.size());
        });
      });
}

void CudaBuffers::set_spots(const Spots& spots) const {
  change_spots<<<spots.pairs, kThreads>>>(spots);
  if (started("changing spots on the device")) return;
  for (std::uint32_t i = 0; i < spots.count(); ++i) {
    const Spot spot = spot_at(spots, i);
    copy_to_device(spot.in, &spot.changed, spots.pattern.element_bytes);
    copy_to_device(spot.out, &spot.usual, spots.pattern.element_bytes);
  }
}

std::optional<std::uint32_t> CudaBuffers::wrong_spot(const Spots& spots) {
  const auto found = least(
      [&](unsigned long long* first) { find_wrong_spot<<<spots.pairs, kThreads>>>(spots, first); },
      [&]() -> std::optional<std::uint64_t> {
        for (std::uint32_t i = 0; i < spots.count(); ++i) {
          const Spot spot = spot_at(spots, i);
          ElementBits held;
          copy_from_device(&held, spot.out, spots.pattern.element_bytes);
          if (std::memcmp(&held, &spot.changed, spots.pattern.element_bytes) != 0) return i;
        }
        return std::nullopt;
      });
  if (!found) return std::nullopt;
  return static_cast<std::uint32_t>(*found);
}

}  // namespace xpose
