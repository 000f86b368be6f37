// Squares transposed in place: blocks across the diagonal change places through small buffers.
#include <xpose/plugin.hpp>

#include "../host_loop.hpp"
#include "swap_blocks.hpp"

using namespace xpose::plugin;

namespace {

// A pair of blocks (row, col) and (col, row), row <= col, of a matrix; pairs are counted along the
// rows of blocks.
struct Pair {
  int64_t matrix, row, col;

  // The index-th pair of matrices of so many blocks a side.
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

template <int Bytes, int Run>
void transpose(const Problem& problem, const Launch& launch) {
  using Swap = host::SwapBlocks<Bytes, Run>;
  constexpr int kAhead = 256 / Run;  // pairs, so that as many bytes are on their way
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
  const auto range = [&](int64_t first, int64_t last) {
    Swap exchange(pitch);
    Pair pair = Pair::at(first, blocks), later = pair;
    for (int i = 0; i < kAhead; ++i) later = later.next(blocks);
    for (int64_t step = first; step < last; ++step) {
      if (step + kAhead >= last) later = pair;  // nothing is left to ask for
      const host::Block upper = block(pair.matrix, pair.row, pair.col);
      const host::Block later_upper = block(later.matrix, later.row, later.col);
      if (pair.row == pair.col)
        exchange.transpose(upper, later_upper);
      else
        exchange.swap(upper, block(pair.matrix, pair.col, pair.row), later_upper,
                      block(later.matrix, later.col, later.row));
      pair = pair.next(blocks);
      later = later.next(blocks);
    }
  };
  host::split(matrices * (blocks * (blocks + 1) / 2), matrices * side * side * Bytes,
              launch.threads, range);
}

struct InPlace {
  static Card card() {
    return {.name = "host_in_place",
            .summary = "squares in place: blocks across the diagonal change places",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_IN_PLACE,
            .prior_rank = 100,
            .axes = {{"run", {256, 128}}}};
  }

  // `run` is the bytes of a block's row.
  static Quote quote(const Problem& problem, const Config& config) {
    if (!problem.in_place) throw Unsupported("works in place only");
    const std::string side = std::to_string(config["run"] / problem.element_bytes);
    const auto run = static_cast<uint64_t>(config["run"]);
    return {.launch = "blocks " + side + "x" + side, .demand = {.load_run = run, .store_run = run}};
  }

  InPlace(const Problem& problem, const Config& config) : problem_(problem), run_(config["run"]) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      if (run_ == 256)
        transpose<int{sizeof(E)}, 256>(problem_, launch);
      else
        transpose<int{sizeof(E)}, 128>(problem_, launch);
    });
  }

  Problem problem_;
  int64_t run_;
};

}  // namespace

XPOSE_PLUGIN("host_in_place", "1.0", InPlace)
