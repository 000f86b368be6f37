// The strategy `odd` on random matrices: elements of every size that it serves, in units of 1 to
// 8 bytes, sides around those of a tile, gaps and batches on both sides, inputs that are read
// backwards or repeat, odd addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "permutation_case.hpp"

namespace {

// Shorter sides may fill too little of a tile.
constexpr int64_t kServedSide = 10;

struct Matrices {
  Permutation permutation;
  int64_t short_side;
};

class Random : public Draws {
 public:
  using Draws::Draws;

  // Rows and columns of elements that are kept runs of units, then the batch.
  Matrices matrices(int64_t element_bytes) {
    std::vector<uint32_t> units;
    for (const uint32_t unit : {1U, 2U, 4U, 8U})
      if (element_bytes % (2 * unit) == 0 ||
          (unit < 4 && element_bytes > unit && element_bytes % unit == 0))
        units.push_back(unit);
    const uint32_t unit = units[static_cast<size_t>(draw(0, std::ssize(units) - 1))];
    const int64_t kept = element_bytes / unit;
    Permutation of{.bytes = unit};
    const int64_t rows = once_in(4) ? draw(2, 9) : draw(kServedSide, 300),
                  cols = once_in(4) ? draw(2, 9) : draw(kServedSide, 20000 / rows),
                  in_pitch = cols * kept + gap(), out_pitch = rows * kept + gap(),
                  batch = once_in(3) ? draw(2, 4) : 1, more = once_in(6) ? 3 : 1;
    const int64_t sign = once_in(5) ? -1 : once_in(8) ? 0 : 1;
    of.axes = {{kept, 1, 1}, {rows, sign * in_pitch, kept}, {cols, kept, out_pitch}};
    if (batch > 1) of.axes.push_back({batch, rows * in_pitch + gap(), cols * out_pitch + gap()});
    if (more > 1)
      of.axes.push_back({more, (rows * in_pitch + 64) * batch, (cols * out_pitch + 64) * batch});
    std::shuffle(of.axes.begin() + 1, of.axes.end(), engine_);
    if (once_in(2)) of.skew = static_cast<uint32_t>(draw(1, 15));
    of.in_skewed = once_in(2);
    return {of, std::min(rows, cols)};
  }

 private:
  int64_t gap() { return once_in(3) ? draw(1, 40) : 0; }
};

class Odd : public testing::TestWithParam<int64_t> {};

TEST_P(Odd, MovesRandomMatrices) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto configs = configs_of(*strategy_named("odd").card);
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    const auto [of, short_side] = random.matrices(GetParam());
    const auto first = static_cast<size_t>(random.draw(0, std::ssize(configs) - 1));
    const bool is_served = check_one(of, configs, first, "odd");
    EXPECT_TRUE(is_served || short_side < kServedSide) << of;
  }
}

INSTANTIATE_TEST_SUITE_P(EachSize, Odd, testing::Range<int64_t>(2, 17),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

}  // namespace
