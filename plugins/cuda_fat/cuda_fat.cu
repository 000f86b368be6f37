// Fat elements, of 32 to 256 bytes, which permutations move that keep the innermost axis.
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/matrices.hpp"
#include "fat.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr int64_t kLine = 128;  // bytes that meet every bank once, and of a cache line

struct Fat {
  static Card card() {
    return cuda_card({.name = "fat",
                      .summary = "elements of 32 to 256 bytes, 16 bytes at a time both ways",
                      .element_sizes = XPOSE_FAT_SIZES,
                      .min_alignment = 1,
                      .max_batch_rank = 1,
                      .traits = XPOSE_TRAIT_IN_PLACE,
                      .prior_rank = 115,
                      .axes = {{"shared", {1, 0}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const Fat fat(problem, config);
    const int64_t bytes = problem.element_bytes;
    if (fat.shared_ && fat.word_ < 16)
      throw Unsupported("shared=1 needs rows aligned to 16 bytes; these are aligned to " +
                        std::to_string(fat.word_));
    if (!fat.shared_ && problem.in_place) throw Unsupported("in place needs shared=1");
    if (!fat.shared_ && fat.word_ == 16 && (bytes < kLine || bytes % 32 != 0) &&
        std::min(problem.rows, problem.cols) >= side_of(bytes))
      throw Unsupported(
          "shared=0 needs 128 bytes or more in steps of 32, a side shorter than a tile, or rows "
          "aligned to less than 16 bytes");
    if (fat.blocks() > INT32_MAX)
      throw Unsupported("the matrix has more tiles than a grid has blocks");
    const auto run = [&](int64_t elements) { return static_cast<uint64_t>(elements * bytes); };
    return {.launch = describe_launch(
                {static_cast<uint64_t>(fat.blocks()), static_cast<uint64_t>(fat.matrices_)},
                {fat.threads_}, fat.shared_bytes_),
            .demand = {.blocks = static_cast<uint64_t>(fat.blocks() * fat.matrices_),
                       .threads = fat.threads_,
                       .shared_bytes = static_cast<uint32_t>(fat.shared_bytes_),
                       .load_run = run(std::min(fat.tile_cols_, problem.cols)),
                       .store_run = run(std::min(fat.tile_rows_, problem.rows)),
                       .slower_percent = fat.slower_percent()}};
  }

  // Square tiles of matrices with a short side are filled in part. Without shared memory, rows that
  // a tile has whole and that have gaps behind them are short runs, where matrices leave the cache.
  uint32_t slower_percent() const {
    constexpr int64_t kUnfilled = 60;
    constexpr uint32_t kGaps = 25;
    const int64_t side = std::min({problem_.rows, problem_.cols, tile_rows_});
    if (shared_) return static_cast<uint32_t>(kUnfilled * (tile_rows_ - side) / tile_rows_);
    const bool has_gaps = (problem_.in_ld != problem_.cols && problem_.cols <= tile_cols_) ||
                          (problem_.out_ld != problem_.rows && problem_.rows <= tile_rows_);
    const auto bytes = static_cast<uint64_t>(2 * bytes_of(problem_));
    return has_gaps && bytes > problem_.cache_bytes / 4 ? kGaps : 0;
  }

  Fat(const Problem& problem, const Config& config)
      : problem_(problem), shared_(config["shared"] != 0) {
    const int64_t bytes = problem.element_bytes;
    word_ = std::min<int64_t>(16, std::min(problem.in_alignment, problem.out_alignment));
    if (problem.batch_rank != 0) matrices_ = problem.batch[0].extent;
    if (shared_) {
      // Runs of 512 bytes and more, in blocks of 5 to 16 KiB.
      tile_rows_ = tile_cols_ = side_of(bytes);
      pitch_ = tile_cols_ * bytes + bytes % kLine;
      shared_bytes_ = static_cast<uint64_t>((problem.in_place ? 2 : 1) * tile_rows_ * pitch_);
      threads_ = static_cast<uint32_t>(tile_cols_ * bytes / 16 * (tile_rows_ / kernels::kItems));
    } else {
      // 16 output rows' words, or as many as there are, and columns or rows until a block is full.
      constexpr int64_t kFull = kernels::kMostThreads, kRows = 16;
      const int64_t words = bytes / word_;
      groups_ = std::clamp<int64_t>(kFull / (std::min(kRows, problem.rows) * words), 1,
                                    blocks_over(problem.cols, kernels::kItems));
      tile_rows_ = std::min(problem.rows, std::max(kRows, kFull / (words * groups_) / 8 * 8));
      tile_cols_ = groups_ * kernels::kItems;
      threads_ = static_cast<uint32_t>(std::min(kFull, tile_rows_ * words * groups_));
    }
  }

  void launch(const Launch& launch) const {
    const int side = static_cast<int>(tile_cols_), pitch = static_cast<int>(pitch_ / 16);
    if (problem_.in_place)
      return for_each_launch([&](int64_t z, Shape grid) {
        const kernels::FatShape of = shape();
        launch_kernel("fat_swap", kernels::fat_swap, grid, {threads_}, shared_bytes_, launch.stream,
                      static_cast<uint4*>(launch.out) + z * of.in_stride, of, side, pitch);
      });
    if (shared_) return launch_all<uint4>("fat_tile", launch, kernels::fat_tile, side, pitch);
    with_constant<1, 2, 4, 8, 16>(word_, [&](auto word) {
      using Word = Element<word()>;
      launch_all<Word>("fat_direct", launch, kernels::fat_direct<Word>,
                       static_cast<int>(tile_rows_), static_cast<int>(groups_));
    });
  }

 private:
  // Of a tile in shared memory, in elements: 8 meet every bank, whatever the element's size.
  static int64_t side_of(int64_t bytes) { return bytes <= 64 ? 16 : 8; }

  // Calls body(first matrix, grid) for as many matrices at once as a grid takes.
  template <class Body>
  void for_each_launch(const Body& body) const {
    for (int64_t z = 0; z < matrices_; z += kMaxGridYZ)
      body(z, Shape{static_cast<uint32_t>(blocks()),
                    static_cast<uint32_t>(std::min(matrices_ - z, kMaxGridYZ))});
  }

  template <class Word, class Kernel, class... More>
  void launch_all(const char* name, const Launch& launch, Kernel kernel, More... more) const {
    const kernels::FatShape of = shape();
    for_each_launch([&](int64_t z, Shape grid) {
      launch_kernel(name, kernel, grid, {threads_}, shared_bytes_, launch.stream,
                    static_cast<const Word*>(launch.in) + z * of.in_stride,
                    static_cast<Word*>(launch.out) + z * of.out_stride, of, more...);
    });
  }

  int64_t tiles_down() const { return blocks_over(problem_.rows, tile_rows_); }
  int64_t blocks() const {  // in place, pairs of tiles
    const int64_t down = tiles_down(), across = blocks_over(problem_.cols, tile_cols_);
    return problem_.in_place ? down * (down + 1) / 2 : down * across;
  }

  kernels::FatShape shape() const {
    const int64_t words = problem_.element_bytes / word_;
    return {.rows = problem_.rows,
            .cols = problem_.cols,
            .in_pitch = problem_.in_ld * words,
            .out_pitch = problem_.out_ld * words,
            .in_stride = problem_.batch[0].in_stride * words,
            .out_stride = problem_.batch[0].out_stride * words,
            .words = static_cast<int>(words),
            .tiles_down = static_cast<uint32_t>(tiles_down())};
  }

  Problem problem_;
  bool shared_;
  int64_t word_;  // bytes
  int64_t matrices_ = 1;
  int64_t tile_rows_, tile_cols_;  // elements
  int64_t groups_ = 0;             // of kItems columns of a tile, without shared memory
  int64_t pitch_ = 0;              // bytes of a row in shared memory
  uint64_t shared_bytes_ = 0;
  uint32_t threads_;
};

}  // namespace

XPOSE_PLUGIN("cuda_fat", "1.0", Fat)
