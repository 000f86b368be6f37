#include "places.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace cuda_permute {
namespace {

constexpr int64_t kLanes = 32, kBanksBytes = 128, kSampled = 8;  // warps

// The indices of the lanes of some warps, along every axis.
using Indices = std::vector<std::vector<int64_t>>;

Indices sampled(const Layout& layout, const std::vector<int>& order) {
  int64_t slots = 1;
  for (const int axis : order) slots *= layout.extents[static_cast<size_t>(axis)];
  const int64_t warps = std::max<int64_t>(slots / kLanes, 1);
  const int64_t step = std::max<int64_t>(warps / kSampled, 1);
  Indices indices;
  for (int64_t warp = 0; warp < warps; warp += step)
    for (int64_t slot = warp * kLanes; slot < (warp + 1) * kLanes; ++slot) {
      auto& index = indices.emplace_back(layout.extents.size(), 0);
      int64_t rest = std::min(slot, slots - 1);
      for (const int axis : order) {
        const int64_t extent = layout.extents[static_cast<size_t>(axis)];
        index[static_cast<size_t>(axis)] = rest % extent;
        rest /= extent;
      }
    }
  return indices;
}

// Wavefronts of the sampled accesses. Lanes that meet in one word take one together.
int64_t wavefronts(const Indices& indices, const std::vector<int64_t>& strides, int64_t unit) {
  const auto at_once = static_cast<size_t>(std::min(kLanes, kBanksBytes / unit));
  const int64_t word_bytes = std::max<int64_t>(unit, 4), banks = kBanksBytes / word_bytes;
  int64_t sum = 0;
  for (size_t first = 0; first < indices.size(); first += at_once) {
    std::array<int64_t, 32> words;
    std::array<int64_t, 32> in_bank{};
    for (size_t lane = 0; lane < at_once; ++lane) {
      int64_t place = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis)
        place += indices[first + lane][axis] * strides[axis];
      words[lane] = place / word_bytes;
    }
    std::sort(words.begin(), words.begin() + static_cast<int64_t>(at_once));
    for (size_t lane = 0; lane < at_once; ++lane)
      if (lane == 0 || words[lane] != words[lane - 1])
        ++in_bank[static_cast<size_t>(words[lane] % banks)];
    sum += *std::ranges::max_element(in_bank);
  }
  return sum;
}

}  // namespace

std::vector<int64_t> places(const Layout& layout) {
  const Indices loads = sampled(layout, layout.load_order);
  const Indices stores = sampled(layout, layout.store_order);
  const auto at_once = std::min(kLanes, kBanksBytes / layout.unit);
  const int64_t fewest = static_cast<int64_t>(loads.size() + stores.size()) / at_once;
  const int64_t pad = std::max<int64_t>(layout.unit, 4);

  // Axes that are done have strides; those above them follow without gaps.
  std::vector<int64_t> strides(layout.extents.size(), 0);
  const auto follow = [&](size_t from) {
    int64_t end = layout.unit;
    for (size_t i = 0; i < layout.store_order.size(); ++i) {
      const auto axis = static_cast<size_t>(layout.store_order[i]);
      if (i >= from) strides[axis] = end;
      end = strides[axis] * (layout.extents[axis] - 1) + end;
    }
    return end;
  };
  follow(0);
  int64_t least = wavefronts(loads, strides, layout.unit) + wavefronts(stores, strides, layout.unit);
  for (size_t i = 0; i < layout.store_order.size() && least > fewest; ++i) {
    const auto axis = static_cast<size_t>(layout.store_order[i]);
    follow(i);
    const int64_t dense = strides[axis];
    int64_t best = dense;
    // From here on padded to whole words, which smaller elements share.
    for (int64_t stride = (dense + pad - 1) / pad * pad; stride < dense + kBanksBytes && least > fewest;
         stride += pad) {
      strides[axis] = stride;
      if (follow(i + 1) > layout.most) break;
      const int64_t took =
          wavefronts(loads, strides, layout.unit) + wavefronts(stores, strides, layout.unit);
      if (took < least) least = took, best = stride;
    }
    strides[axis] = best;
    follow(i + 1);
  }
  return strides;
}

}  // namespace cuda_permute
