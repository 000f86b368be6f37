#include "places.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace cuda_permute {
namespace {

constexpr int64_t kLanes = 32, kBank = 4, kBankBytes = 128, kSampled = 8;  // warps
constexpr int kTurns = 3;
// Swizzled places take instructions, which so many times fewer wavefronts are worth.
constexpr double kMuchLess = 1.9;

// The indices of the lanes of some warps, along every axis.
using Indices = std::vector<std::vector<int64_t>>;

Indices sampled(const Layout& layout, const Order& order) {
  int64_t elements = 1;
  for (const int axis : order.axes) elements *= layout.extents[static_cast<size_t>(axis)];
  const int64_t slots = std::max<int64_t>(elements / order.elements, 1);
  const int64_t warps = std::max<int64_t>(slots / kLanes, 1);
  const int64_t step = std::max<int64_t>(warps / kSampled, 1);
  Indices indices;
  for (int64_t warp = 0; warp < warps; warp += step)
    for (int64_t slot = warp * kLanes; slot < (warp + 1) * kLanes; ++slot) {
      auto& index = indices.emplace_back(layout.extents.size(), 0);
      int64_t rest = std::min(slot, slots - 1) * order.elements;
      for (const int axis : order.axes) {
        const int64_t extent = layout.extents[static_cast<size_t>(axis)];
        index[static_cast<size_t>(axis)] = rest % extent;
        rest /= extent;
      }
    }
  return indices;
}

// As the kernel of runs does it.
int64_t swizzled(int64_t place, int64_t word) {
  return place ^ ((place >> 5 ^ place >> 10) & (kBankBytes - word));
}

// Wavefronts of the sampled accesses. Lanes that meet in one word take one together. `word`: of
// places that are swizzled; 0: they are not.
int64_t wavefronts(const Indices& indices, const std::vector<int64_t>& strides, int64_t unit,
                   int64_t word = 0) {
  const auto at_once = static_cast<size_t>(std::min(kLanes, kBankBytes / unit));
  const int64_t word_bytes = std::max<int64_t>(unit, 4), banks = kBankBytes / word_bytes;
  int64_t sum = 0;
  for (size_t first = 0; first < indices.size(); first += at_once) {
    std::array<int64_t, 32> words;
    std::array<int64_t, 32> in_bank{};
    for (size_t lane = 0; lane < at_once; ++lane) {
      int64_t place = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis)
        place += indices[first + lane][axis] * strides[axis];
      words[lane] = (word == 0 ? place : swizzled(place, word)) / word_bytes;
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
  const int64_t pad = std::max({layout.unit, layout.word, kBank});

  // Axes follow each other, each behind so many bytes that nothing uses.
  std::vector<int64_t> strides(layout.extents.size(), 0), pads(layout.extents.size(), 0);
  const auto place = [&] {  // returns the end
    int64_t end = layout.unit;
    for (size_t i = 0; i < layout.nest.size(); ++i) {
      const auto axis = static_cast<size_t>(layout.nest[i]);
      int64_t& stride = strides[axis];
      if (!layout.remainders.empty() && i >= layout.dense) {
        if (i == layout.dense) end += layout.word - layout.unit;  // words do not overlap
        stride = end + (layout.remainders[axis] + layout.word - end % layout.word) % layout.word +
                 pads[axis];
      } else {
        stride = pads[axis] == 0 ? end : (end + pad - 1) / pad * pad + pads[axis];
      }
      end += stride * (layout.extents[axis] - 1);
    }
    return end;
  };
  place();
  if (!layout.tries_paddings) return strides;

  const Indices loads = sampled(layout, layout.load);
  const Indices stores = sampled(layout, layout.store);
  const int64_t at_once = std::min(kLanes, kBankBytes / layout.unit);
  const int64_t fewest = (std::ssize(loads) + std::ssize(stores)) / at_once;
  const auto wavefronts_padded = [&] {
    if (place() > layout.most) return std::numeric_limits<int64_t>::max();
    return wavefronts(loads, strides, layout.unit) + wavefronts(stores, strides, layout.unit);
  };
  std::vector<int64_t> best = pads;
  int64_t least = wavefronts_padded();
  for (const bool outermost_first : {true, false}) {
    pads.assign(pads.size(), 0);
    int64_t reached = wavefronts_padded();
    for (int turn = 0; turn < kTurns && reached > fewest; ++turn) {
      const int64_t before = reached;
      for (size_t i = layout.dense; i < layout.nest.size(); ++i) {
        const size_t at = outermost_first ? layout.nest.size() - 1 - (i - layout.dense) : i;
        int64_t& own = pads[static_cast<size_t>(layout.nest[at])];
        int64_t kept = own;
        for (own = 0; own < kBankBytes && reached > fewest; own += pad)
          if (const int64_t took = wavefronts_padded(); took < reached) reached = took, kept = own;
        own = kept;
      }
      if (reached == before) break;
    }
    if (reached < least) least = reached, best = pads;
    if (least <= fewest) break;
  }
  pads = best;
  place();
  return strides;
}

bool swizzling_helps(const Layout& layout, const std::vector<int64_t>& strides) {
  const auto of = [&](int64_t word) {
    return wavefronts(sampled(layout, layout.load), strides, layout.unit, word) +
           wavefronts(sampled(layout, layout.store), strides, layout.unit, word);
  };
  return static_cast<double>(of(0)) > kMuchLess * static_cast<double>(of(layout.word));
}

}  // namespace cuda_permute
