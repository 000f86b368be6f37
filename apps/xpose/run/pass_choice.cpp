#include "run/pass_choice.hpp"

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

}  // namespace

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
