// The kernels of host_in_place, as compiled for each instruction set.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "host_in_place/kernels.hpp"
#include "target_matrices.hpp"

namespace {

TEST(HostTargets, OfInPlaceSwap) {
  expect_each_once(host_in_place::kernels());
  for (const host_in_place::Kernels& kernels : host_in_place::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16})
      for (const int64_t run : {128, 256}) {
        const int64_t tile = kLine / size, block = run / size;
        for (const int64_t side : {int64_t{1}, tile - 1, tile, block, block + 1, block + tile + 3,
                                   2 * block - 1, 3 * block})
          for (const auto& [gap, offset] : {std::pair<int64_t, int64_t>(0, 0), {1, size}}) {
            Matrices m(side, side, size, gap, offset, 3);
            std::vector<uint8_t> wanted = m.in;  // between rows and around all of it as it was
            for (int64_t i = 0; i < 3 * side; ++i)
              std::memcpy(&wanted[size_t(m.begin + i * m.in_pitch)],
                          &m.expected[size_t(m.out_begin() + i * m.out_pitch)],
                          size_t(side * size));
            const host_in_place::Squares squares = {.at = &m.in[size_t(m.begin)],
                                                    .side = side,
                                                    .pitch = m.in_pitch,
                                                    .stride = m.in_step};
            const std::vector<uint8_t> before = m.in;
            for (const auto order : {host_in_place::Order::kRows, host_in_place::Order::kTwins}) {
              const host_in_place::Pairs blocks(host_in_place::blocks_of(side, size, run), order);
              const int64_t pairs = 3 * blocks.of_a_matrix(), part = pairs / 2;
              m.in = before;
              kernels.swap(squares, uint32_t(size), run, order, part, pairs);
              kernels.swap(squares, uint32_t(size), run, order, 0, part);
              ASSERT_TRUE(m.in == wanted) << m.name(kernels.target) << ", run " << run;
            }
          }
      }
}

TEST(InPlacePairs, AreEachMetOnceFromAnyBegin) {
  using host_in_place::Order, host_in_place::Pair, host_in_place::Pairs;
  for (const Order order : {Order::kRows, Order::kTwins})
    for (int64_t blocks = 1; blocks < 8; ++blocks) {
      const Pairs pairs(blocks, order);
      std::set<std::tuple<int64_t, int64_t, int64_t>> met;
      Pair walked = pairs[0];
      for (int64_t i = 0; i < 2 * pairs.of_a_matrix(); ++i, walked = pairs.after(walked)) {
        const Pair pair = pairs[i];
        EXPECT_EQ(std::tie(pair.matrix, pair.row, pair.col),
                  std::tie(walked.matrix, walked.row, walked.col));
        EXPECT_EQ(pair.matrix, i / pairs.of_a_matrix());
        EXPECT_TRUE(0 <= pair.row && pair.row <= pair.col && pair.col < blocks);
        met.emplace(pair.matrix, pair.row, pair.col);
      }
      EXPECT_EQ(std::ssize(met), 2 * pairs.of_a_matrix()) << blocks;
    }
}

}  // namespace
