// The parts of matrices that threads of the host share out.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "../../plugins/kit/host/parts.hpp"

namespace host {
namespace {

Side side(int64_t extent, int64_t step, int64_t ends) {
  return {extent, step, ceil_div(extent, step), ends};
}

struct Drawn {
  int64_t matrices, threads;
  Side down, across;
  Parts parts() const { return {matrices, down, across, threads}; }
};

Drawn draw(std::mt19937_64& random) {
  const auto below = [&](uint64_t end) { return static_cast<int64_t>(random() % end); };
  return {.matrices = 1 + below(30),
          .threads = 1 + below(40),
          .down = side(1 + below(80), 1 + below(9), below(20)),
          .across = side(1 + below(80), 1 + below(9), below(20))};
}

TEST(HostParts, CoverEveryElementOnce) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const Drawn drawn = draw(random);
    const Parts parts = drawn.parts();
    const int64_t rows = drawn.down.extent, cols = drawn.across.extent;
    std::vector<int> met(static_cast<size_t>(drawn.matrices * rows * cols));
    for (int64_t share = 0; share < drawn.threads; ++share)
      parts.share(share, drawn.threads, [&](const Part& part, const Part*) {
        EXPECT_LT(part.row_begin, part.row_end);
        EXPECT_LT(part.col_begin, part.col_end);
        for (int64_t row = part.row_begin; row < part.row_end; ++row)
          for (int64_t col = part.col_begin; col < part.col_end; ++col)
            ++met[static_cast<size_t>((part.matrix * rows + row) * cols + col)];
      });
    EXPECT_TRUE(std::ranges::all_of(met, [](int times) { return times == 1; })) << "problem " << i;
  }
}

TEST(HostParts, OfAShareNameTheNext) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const Drawn drawn = draw(random);
    const Parts parts = drawn.parts();
    for (int64_t share = 0; share < drawn.threads; ++share) {
      Part named{};
      bool has_named = false;
      parts.share(share, drawn.threads, [&](const Part& part, const Part* next) {
        if (has_named) {
          EXPECT_EQ(part.matrix, named.matrix);
          EXPECT_EQ(part.row_begin, named.row_begin);
          EXPECT_EQ(part.col_begin, named.col_begin);
        }
        has_named = next != nullptr;
        if (has_named) named = *next;
      });
      EXPECT_FALSE(has_named) << "the last part of a share names one";
    }
  }
}

// Cut along their longer side alone, matrices would not be done sooner.
TEST(HostParts, AreNotWorkedOffLaterThanThoseOfOneSide) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    const Drawn drawn = draw(random);
    const auto cost = [&](const Grid& grid) {
      return ceil_div(drawn.matrices * grid.parts(), drawn.threads) * drawn.down.cost(grid.down) *
             drawn.across.cost(grid.across);
    };
    const bool is_tall = drawn.down.extent >= drawn.across.extent;
    const Grid plain{is_tall ? std::min(drawn.threads, drawn.down.steps) : 1,
                     is_tall ? 1 : std::min(drawn.threads, drawn.across.steps)};
    const Grid chosen = drawn.parts().grid();
    if (drawn.matrices < 4 * drawn.threads && drawn.threads > 1) {
      EXPECT_LE(cost(chosen), cost(plain)) << "problem " << i;
    }
    EXPECT_LE(chosen.parts(), drawn.threads);
  }
}

TEST(HostParts, OfASideWithFewStepsAreCutAcrossToo) {
  const Grid grid = Parts(1, side(1000, 256, 100), side(1000, 64, 100), 16).grid();
  EXPECT_GT(grid.across, 1);
  EXPECT_GT(grid.parts(), 8);
}

TEST(HostParts, OfManyMatricesAreWhole) {
  const Grid grid = Parts(1600, side(1000, 128, 100), side(1000, 64, 100), 16).grid();
  EXPECT_EQ(grid.parts(), 1);
}

TEST(HostParts, OfAFewMatricesKeepAllThreadsBusy) {
  const Parts parts(20, side(512, 64, 10), side(512, 64, 10), 16);
  EXPECT_EQ(parts.count() % 16, 0);
}

}  // namespace
}  // namespace host
