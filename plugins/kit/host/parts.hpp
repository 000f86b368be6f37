// The parts of matrices that threads share out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ceil_div.hpp"

namespace host {

// A side of a matrix, in elements. It may be cut behind each of its steps.
struct Side {
  int64_t extent;
  int64_t step;
  int64_t steps;
  int64_t ends;  // those of a part take as long as moving so many elements more

  // Where one of several parts begins; the part behind the last one, where the side ends.
  int64_t begin(int64_t part, int64_t parts) const {
    return part == parts ? extent : steps * part / parts * step;
  }
  // Of the longest of several parts.
  int64_t cost(int64_t parts) const {
    return std::min(ceil_div(steps, parts) * step, extent) + ends;
  }
};

// So many parts of a matrix below and beside each other.
struct Grid {
  int64_t down = 1, across = 1;
  int64_t parts() const { return down * across; }
};

// The grid of each of several matrices whose parts, shared out to so many threads, are done first.
// It is one row or one column, along the longer side, unless another one is clearly better.
inline Grid grid(int64_t matrices, const Side& down, const Side& across, int64_t threads) {
  constexpr double kClearly = 0.9;
  constexpr int64_t kManyMatrices = 4;  // for each thread
  const auto cost = [&](const Grid& grid) {
    return static_cast<double>(ceil_div(matrices * grid.parts(), threads)) *
           static_cast<double>(down.cost(grid.down)) *
           static_cast<double>(across.cost(grid.across));
  };
  Grid best;
  if (matrices < kManyMatrices * threads) {
    const bool is_tall = down.extent >= across.extent;
    const int64_t steps = is_tall ? down.steps : across.steps;
    (is_tall ? best.down : best.across) = std::min(threads, steps);
  }
  double least = kClearly * cost(best);
  for (int64_t d = 1; d <= std::min(threads, down.steps); ++d)
    for (int64_t a = 1; a <= std::min(threads / d, across.steps); ++a)
      if (const Grid other{d, a}; cost(other) < least) {
        best = other;
        least = cost(other);
      }
  return best;
}

// A rectangle of a matrix.
struct Part {
  int64_t matrix;
  int64_t row_begin, row_end;
  int64_t col_begin, col_end;
};

// The parts of several matrices, those of a matrix one behind the other.
class Parts {
 public:
  Parts() = default;
  // All of each matrix for one thread.
  Parts(int64_t matrices, const Side& down, const Side& across, int64_t threads)
      : matrices_(matrices),
        down_(down),
        across_(across),
        grid_(threads == 1 ? Grid{} : host::grid(matrices, down, across, threads)) {}

  const Grid& grid() const { return grid_; }
  int64_t count() const { return matrices_ * grid_.parts(); }

  Part operator[](int64_t number) const {
    const int64_t below = number % grid_.parts() / grid_.across, beside = number % grid_.across;
    return {.matrix = number / grid_.parts(),
            .row_begin = down_.begin(below, grid_.down),
            .row_end = down_.begin(below + 1, grid_.down),
            .col_begin = across_.begin(beside, grid_.across),
            .col_end = across_.begin(beside + 1, grid_.across)};
  }

  // Calls body(part, next) for the parts of one of several shares; `next` is null in the last one.
  template <class Body>
  void share(int64_t share, int64_t shares, const Body& body) const {
    const int64_t end = count() * (share + 1) / shares;
    int64_t number = count() * share / shares;
    if (number == end) return;
    Part part = (*this)[number];
    while (++number < end) {
      const Part next = (*this)[number];
      body(part, &next);
      part = next;
    }
    body(part, nullptr);
  }

 private:
  int64_t matrices_ = 0;
  Side down_{}, across_{};
  Grid grid_;
};

}  // namespace host
