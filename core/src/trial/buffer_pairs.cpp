#include "trial/buffer_pairs.hpp"

#include <algorithm>
#include <string>

#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

// On CUDA a pair of buffers of as many times the cache leaves nothing of its beginning there.
constexpr std::uint64_t kColdPairCaches = 8;
// On the host a call that touches so much is timed alone, after the cache was cleaned.
constexpr std::uint64_t kAloneBytes = 4 << 20;

// Of a pair, a transpose in place touches one buffer.
std::uint64_t touched_bytes(const Problem& problem) {
  const std::uint64_t pair = Arena::footprint(problem, 1);
  return problem.in_place ? pair / 2 : pair;
}

}  // namespace

bool is_cold_alone(Backend& backend, const Problem& problem) {
  const std::uint64_t touched = touched_bytes(problem);
  return problem.device.kind == DeviceKind::host
             ? touched > kAloneBytes
             : touched >= kColdPairCaches * backend.info().cache_bytes;
}

std::size_t pair_count(Backend& backend, const Problem& problem, bool warm) {
  const std::uint64_t least = Arena::footprint(problem, 1);
  if (const std::uint64_t free = backend.free_bytes(); least > free)
    throw Error(
        ErrorKind::no_memory,
        "trying strategies on " + to_string(problem) + " takes buffers of " +
            std::to_string(least) + " bytes, but " + std::to_string(free) +
            " bytes are free; plan it with Policy::estimate, or `xpose run --strategy NAME`");
  if (warm || is_cold_alone(backend, problem)) return 1;
  const std::uint64_t touched = touched_bytes(problem);
  const std::uint64_t cache = backend.info().cache_bytes;
  std::size_t pairs = std::clamp<std::uint64_t>(4 * cache / touched + 1, 2, Spots::kMostPairs);
  while (pairs > 1 && Arena::footprint(problem, pairs) > backend.free_bytes() / 2) --pairs;
  return pairs;
}

}  // namespace xpose
