#include "run/pass_choice.hpp"

#include <algorithm>

namespace xpose::app {
namespace {

constexpr double kCachedShare = 1.0 / 8;  // of the time of a byte of the disk
constexpr std::uint64_t kCallBytes = 1024;

double cost(std::uint64_t run, std::uint64_t more) {
  return 1 + static_cast<double>(more) / static_cast<double>(run);
}

double read_cost(std::uint64_t run, const InputPlace& place) {
  return place.is_cached ? kCachedShare * cost(run, kCallBytes) : cost(run, place.run_bytes);
}

// Between disks that are asked for so many bytes in the time of a request, and those that count
// bytes alone; and between those that read and write at once as fast as they do either, and those
// that move so many bytes in all.
constexpr std::uint64_t kRequestBytes = std::uint64_t{16} << 10;
constexpr double kAtOnce = 0.75;
constexpr std::int64_t kManyTiles = 20;

// The first touch of memory for a tile's output, in the time that a disk takes for its bytes.
constexpr double kTouch = 0.5;

double both_costs(const RunLengths& runs) {
  return cost(runs.in, kRequestBytes) + cost(runs.out, kRequestBytes);
}

}  // namespace

bool are_faster_in_turn(const TilesCost& in_turn, const TilesCost& at_once) {
  if (at_once.tiles >= kManyTiles) return false;
  const auto whole = static_cast<double>(in_turn.tiles);
  const auto parts = static_cast<double>(at_once.tiles);
  return both_costs(in_turn.runs) + kTouch / whole <
         (kAtOnce + (1 - kAtOnce) / parts) * both_costs(at_once.runs) +
             kTouch * std::min(2 / parts, 1.0);
}

double one_pass_cost(const RunLengths& runs, const InputPlace& place) {
  return read_cost(runs.in, place) + cost(runs.out, place.run_bytes);
}

double two_pass_cost(std::uint64_t piece_bytes, const InputPlace& input,
                     const InputPlace& scratch) {
  const double in_order = input.is_cached ? kCachedShare : 1;
  return in_order + 1 + read_cost(piece_bytes, scratch) + 1;
}

bool are_two_faster(double one_pass, double two_passes) { return two_passes * 1.25 < one_pass; }

}  // namespace xpose::app
