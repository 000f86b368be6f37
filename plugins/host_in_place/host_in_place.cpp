// Squares transposed in place: blocks across the diagonal change places through small buffers.
#include <cmath>
#include <xpose/plugin.hpp>

#include "../host_loop.hpp"
#include "swap_blocks.hpp"

using namespace xpose::plugin;

namespace {

constexpr int64_t kRunBytes = 256;

// A pair of blocks (row, col), row <= col, of a matrix; pairs are counted along the block rows.
struct Pair {
  int64_t matrix, row, col;

  // The index-th of the matrices' pairs; a matrix of so many blocks a side has blocks * (blocks +
  // 1) / 2.
  static Pair at(int64_t index, int64_t blocks) {
    const int64_t pairs = blocks * (blocks + 1) / 2;
    Pair pair{index / pairs, 0, 0};
    int64_t rest = index % pairs;
    while (rest >= blocks - pair.row) rest -= blocks - pair.row++;
    pair.col = pair.row + rest;
    return pair;
  }
  Pair next(int64_t blocks) const {
    if (col + 1 < blocks) return {matrix, row, col + 1};
    if (row + 1 < blocks) return {matrix, row + 1, row + 1};
    return {matrix + 1, 0, 0};
  }
};

template <int Bytes>
void transpose(const Problem& problem, const Launch& launch) {
  using Swap = host::SwapBlocks<Bytes, kRunBytes>;
  const int64_t side = problem.rows;
  const int64_t blocks = (side + Swap::kSide - 1) / Swap::kSide;
  const int64_t matrices = problem.batch_rank == 0 ? 1 : problem.batch[0].extent;
  const int64_t stride = problem.batch_rank == 0 ? 0 : problem.batch[0].in_stride;
  const int64_t pitch = problem.in_ld * Bytes;
  auto* const base = static_cast<host::Byte*>(launch.out);
  const auto block = [&](int64_t matrix, int64_t row, int64_t col) -> host::Block {
    const int64_t r = row * Swap::kSide, c = col * Swap::kSide;
    return {base + matrix * stride * Bytes + r * pitch + c * Bytes, std::min(Swap::kSide, side - r),
            std::min(Swap::kSide, side - c)};
  };
  const int64_t steps = matrices * (blocks * (blocks + 1) / 2);
  host::split(steps, matrices * side * side * Bytes, launch.threads,
              [&](int64_t first, int64_t last) {
                Swap swap;
                Pair pair = Pair::at(first, blocks);
                for (int64_t step = first; step < last; ++step) {
                  const Pair next = step + 1 < last ? pair.next(blocks) : pair;
                  const host::Block upper = block(pair.matrix, pair.row, pair.col);
                  const host::Block next_upper = block(next.matrix, next.row, next.col);
                  if (pair.row == pair.col)
                    swap.transpose(upper, next_upper, pitch);
                  else
                    swap.swap(upper, block(pair.matrix, pair.col, pair.row), next_upper,
                              block(next.matrix, next.col, next.row), pitch);
                  pair = next;
                }
              });
}

struct InPlace {
  static Card card() {
    return {.name = "host_in_place",
            .summary = "squares in place: blocks across the diagonal change places",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_IN_PLACE,
            .prior_rank = 100};
  }

  static Quote quote(const Problem& problem, const Config&) {
    if (!problem.in_place) throw Unsupported("works in place only");
    const std::string side = std::to_string(kRunBytes / problem.element_bytes);
    return {.launch = "blocks " + side + "x" + side};
  }

  InPlace(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes,
                       [&]<class E>(E) { transpose<int{sizeof(E)}>(problem_, launch); });
  }

  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("host_in_place", "1.0", InPlace)
