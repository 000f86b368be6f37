// The kernels of host_skinny, as compiled for each instruction set.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "host_skinny/kernels.hpp"
#include "target_matrices.hpp"

namespace {

TEST(HostTargets, OfSkinnyTranspose) {
  expect_each_once(host_skinny::kernels());
  using host_skinny::Form;
  for (const host_skinny::Kernels& kernels : host_skinny::kernels())
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      const int64_t side = kLine / size;
      const auto expect_right = [&](int64_t rows, int64_t cols, int64_t matrices, Form form,
                                    std::initializer_list<int64_t> gaps = {0, 1},
                                    int64_t gap_between = 0) {
        for (const int64_t gap : gaps)
          for (const int64_t offset : {int64_t{0}, size})
            for (const auto& [streams, ahead] : {std::pair(false, 2), {true, 2}, {true, 1}}) {
              Matrices m(rows, cols, size, gap, offset, matrices, gap_between);
              kernels.transpose({.in = &m.in[size_t(m.begin)],
                                 .out = &m.out[size_t(m.out_begin())],
                                 .rows = rows,
                                 .cols = cols,
                                 .in_pitch = m.in_pitch,
                                 .out_pitch = m.out_pitch,
                                 .matrices = matrices,
                                 .in_step = m.in_step,
                                 .out_step = m.out_step,
                                 .form = form,
                                 .streams = streams,
                                 .ahead = ahead},
                                uint32_t(size));
              ASSERT_TRUE(m.out == m.expected) << m.name(kernels.target) << ", form " << int(form)
                                               << ", streams " << streams << ", ahead " << ahead;
            }
      };
      for (int64_t narrow = 2; narrow < side; narrow += narrow < 6 ? 1 : 7)
        for (const int64_t length : {side, 9 * side + 1}) {
          expect_right(length, narrow, 1, Form::kDeinterleave);
          expect_right(narrow, length, 1, Form::kInterleave);
        }
      for (const int64_t length : {side, 2 * side, 9 * side + 1})
        expect_right(length, side, 1, Form::kDeinterleave);
      for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>(2, 2),
                                       {3, 3},
                                       {5, 5},
                                       {8, 8},
                                       {2, 11},
                                       {side, side},
                                       {16, 16}})
        if (rows * cols * size <= host_skinny::kSmallBytes)
          expect_right(rows, cols, 23, Form::kSmall);
      // One permutation of bytes for all of them, or granules where that takes longer.
      for (int64_t rows = 2; rows <= 16; ++rows)
        for (int64_t cols = 2; cols <= 16; cols += rows % 3 + 1)
          if (const int64_t bytes = rows * cols * size; bytes <= 300)
            for (const int64_t gap_between : {0, 1})
              expect_right(rows, cols, 4096 / bytes + 7, Form::kSmall, {0}, gap_between);
      for (int64_t few = 2; few <= 5; ++few)
        for (const int64_t many : {16 / size, 16 / size + 1, side - 1, side, 3 * side + 5})
          if (many > few) {
            expect_right(many, few, 5, Form::kSmall);
            expect_right(few, many, 5, Form::kSmall);
          }
    }
}

}  // namespace
