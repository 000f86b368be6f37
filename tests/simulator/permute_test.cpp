// The strategy `permute` on random permutations: axes of any number and order, odd and even
// extents, gaps on both sides, reversed and repeated inputs, elements of every size, every config.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "permutation_case.hpp"

namespace {

class Random : public Draws {
 public:
  using Draws::Draws;

  // Every other one has inner axes of whole vectors: one for each side, or one for both.
  Permutation permutation(uint32_t bytes, int64_t most_elements) {
    Permutation of{.bytes = bytes, .multiprocessors = static_cast<uint32_t>(draw(0, 2))};
    if (once_in(4)) of.compute_capability = 80;
    const bool even = once_in(2), keeps = once_in(3);
    const int64_t unit = even ? int64_t{1} << draw(1, 4) : 1;
    const int64_t rank = draw(2, std::min<int64_t>(8, XPOSE_MAX_BATCH_RANK)), usual = draw(0, 2);
    int64_t elements = 1;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t extent = usual == 0 ? 2 : draw(2, 9);
      if (usual == 1 && once_in(2)) extent = int64_t{1} << draw(1, 6);
      if (once_in(4)) extent = draw(10, 130);
      if (i < 2) extent = (extent + unit - 1) / unit * unit;
      extent = std::min(extent, most_elements / elements);
      if (extent < 2) break;
      of.axes.push_back({extent, 0, 0});
      elements *= extent;
    }
    lay(of.axes, &Axis::in, even || keeps ? 0 : -1, unit);
    lay(of.axes, &Axis::out, keeps ? 0 : even ? 1 : -1, unit);
    if (once_in(4)) of.axes[index(of)].in = 0;
    for (Axis& axis : of.axes)
      if (once_in(6) && (!even || axis.in != 1)) axis.in = -axis.in;
    std::ranges::shuffle(of.axes, engine_);
    if (once_in(5)) of.skew = static_cast<uint32_t>(draw(1, 7));
    return of;
  }

 private:
  size_t index(const Permutation& of) {
    return static_cast<size_t>(draw(0, std::ssize(of.axes) - 1));
  }
  // In a random order of axes behind the first, if that is given, sometimes with gaps of whole
  // units.
  void lay(std::vector<Axis>& axes, int64_t Axis::*stride, int64_t first, int64_t unit) {
    std::vector<size_t> order(axes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), engine_);
    if (first >= 0) std::swap(order.front(), *std::ranges::find(order, static_cast<size_t>(first)));
    int64_t next = first < 0 && once_in(8) ? 2 : 1;
    for (const size_t i : order) {
      axes[i].*stride = next;
      next *= axes[i].extent;
      if (once_in(6)) next += draw(1, 16) * unit;
    }
  }
};

class Permute : public testing::TestWithParam<uint32_t> {};

TEST_P(Permute, MovesRandomPermutations) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto configs = configs_of(*strategy_named("permute").card);
  int served = 0;
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    // Fat elements are axes of 16 bytes, so fewer of them make as many tiles.
    const int64_t most =
        (random.once_in(8) ? 60000 : 6000) * 16 / std::max<int64_t>(GetParam(), 16);
    const Permutation of = random.permutation(GetParam(), most);
    const auto first = static_cast<size_t>(random.draw(0, std::ssize(configs) - 1));
    if (check_one(of, configs, first)) ++served;
  }
  EXPECT_GT(served, 50);
}

INSTANTIATE_TEST_SUITE_P(EachSize, Permute, testing::Values(1U, 2U, 4U, 8U, 16U, 48U, 256U),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

}  // namespace
