#include "simulation/access_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace xpose {
namespace {

constexpr unsigned kSectorShift = 5;  // 32 bytes
constexpr unsigned kWordShift = 2;    // 4 bytes, the width of a bank
constexpr std::uint32_t kBanks = 32;

std::uint32_t ceil_div(std::uint64_t value, std::uint32_t by) {
  return static_cast<std::uint32_t>((value + by - 1) / by);
}

// Addresses of a few lanes, ascending.
class Ascending {
 public:
  // Kernels mostly number their lanes upwards in memory, so that nothing is left to sort.
  void add(std::uint64_t address) {
    std::size_t at = count_++;
    for (; at > 0 && values_[at - 1] > address; --at) values_[at] = values_[at - 1];
    values_[at] = address;
  }
  std::span<const std::uint64_t> values() const { return std::span(values_).first(count_); }

 private:
  std::array<std::uint64_t, 32> values_;
  std::size_t count_ = 0;
};

// Calls body(lane) for the active lanes of [first, first + count).
template <class Body>
void for_lanes(std::uint32_t lanes, std::uint32_t first, std::uint32_t count, const Body& body) {
  const std::uint32_t mask = count == 32 ? ~0U : ((1U << count) - 1) << first;
  for (std::uint32_t rest = lanes & mask; rest != 0; rest &= rest - 1)
    body(static_cast<std::uint32_t>(std::countr_zero(rest)));
}

// One lane behind the other: what a coalesced access looks like.
bool is_dense(std::span<const std::uint64_t, 32> address, std::uint32_t lanes,
              std::uint32_t lane_bytes) {
  if (lanes != ~0U) return false;
  std::uint64_t differs = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    differs |= address[lane] ^ (address[0] + std::uint64_t{lane} * lane_bytes);
  return differs == 0;
}

Served part_wavefronts(const Ascending& sorted, std::uint32_t lane_bytes) {
  std::array<std::uint8_t, kBanks> wanted{};
  std::uint32_t words = 0;
  std::uint32_t most = 0;
  std::uint64_t next = 0;  // the first word that is not counted yet
  for (const std::uint64_t address : sorted.values()) {
    const std::uint64_t last = (address + lane_bytes - 1) >> kWordShift;
    for (std::uint64_t word = std::max(next, address >> kWordShift); word <= last; ++word) {
      most = std::max<std::uint32_t>(most, ++wanted[word % kBanks]);
      ++words;
    }
    next = std::max(next, last + 1);
  }
  return {most, ceil_div(words, kBanks)};
}

}  // namespace

Served sectors(std::span<const std::uint64_t, 32> address, std::uint32_t lanes,
               std::uint32_t lane_bytes) {
  if (is_dense(address, lanes, lane_bytes)) {
    const std::uint64_t last = address[0] + 32ULL * lane_bytes - 1;
    return {static_cast<std::uint32_t>((last >> kSectorShift) - (address[0] >> kSectorShift) + 1),
            lane_bytes};
  }
  Ascending sorted;
  for_lanes(lanes, 0, 32, [&](std::uint32_t lane) { sorted.add(address[lane]); });
  std::uint32_t taken = 0;
  std::uint64_t bytes = 0;
  std::uint64_t next_sector = 0;  // the first that is not counted yet
  std::uint64_t next_byte = 0;
  for (const std::uint64_t begin : sorted.values()) {
    const std::uint64_t end = begin + lane_bytes;
    const std::uint64_t first = std::max(next_sector, begin >> kSectorShift);
    const std::uint64_t behind = ((end - 1) >> kSectorShift) + 1;
    if (behind > first) taken += static_cast<std::uint32_t>(behind - first);
    next_sector = std::max(next_sector, behind);
    if (end > next_byte) bytes += end - std::max(next_byte, begin);
    next_byte = std::max(next_byte, end);
  }
  return {taken, ceil_div(bytes, 1U << kSectorShift)};
}

Served wavefronts(std::span<const std::uint64_t, 32> address, std::uint32_t lanes,
                  std::uint32_t lane_bytes) {
  const std::uint32_t parts = lane_bytes <= 4 ? 1 : lane_bytes / 4;
  if (lane_bytes >= 4 && address[0] % 4 == 0 && is_dense(address, lanes, lane_bytes))
    return {parts, parts};  // each part has 32 words in a row: every bank gives one
  Served total;
  const std::uint32_t part_lanes = 32 / parts;
  for (std::uint32_t part = 0; part < parts; ++part) {
    Ascending sorted;
    for_lanes(lanes, part * part_lanes, part_lanes,
              [&](std::uint32_t lane) { sorted.add(address[lane]); });
    const Served served = part_wavefronts(sorted, lane_bytes);
    total.taken += served.taken;
    total.ideal += served.ideal;
  }
  return total;
}

}  // namespace xpose
