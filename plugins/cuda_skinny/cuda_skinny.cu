// Matrices with one short side that is dense: a stream on one side, a few long runs on the other.
#include <algorithm>
#include <cmath>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/matrices.hpp"
#include "skinny.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr int64_t kWidest = 128;
constexpr uint32_t kVectorBytes = 16;
constexpr double kThreadsAtOnce = 2048;  // of a multiprocessor
constexpr double kMostIdle = 10'000;     // percent

// A problem as a dense stream of `rows` rows of `width` elements, and `width` runs of `rows`
// elements.
struct Skinny {
  static Card card() {
    return cuda_card({.name = "skinny",
                      .summary = "one short side: a dense stream to or from a few long runs",
                      .max_batch_rank = 1,
                      .prior_rank = 180,
                      .axes = {{"threads", {128, 256}}, {"vectors", {4, 2}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (std::min(problem.rows, problem.cols) < 2)
      throw Unsupported("needs sides of at least 2 elements; a side of 1 is a copy");
    const Skinny skinny(problem, config);
    if (skinny.width_ > kWidest)
      throw Unsupported("needs a shorter side of at most " + std::to_string(kWidest) + " elements");
    if (skinny.stream_ld_ != skinny.width_)
      throw Unsupported("needs rows without gaps along the shorter side");
    if (config["vectors"] != 4 && skinny.run_ == run_of(skinny.width_, 4 * config["threads"]))
      throw Unsupported("vectors=2 makes the same block as vectors=4");
    if (skinny.shared_bytes_ > kMaxSharedBytes)
      throw Unsupported("a block needs " + std::to_string(skinny.shared_bytes_) +
                        " bytes of shared memory and has 48 KiB");
    return {.launch = describe_launch({skinny.blocks_, static_cast<uint64_t>(skinny.matrices_)},
                                      {skinny.threads_}, skinny.shared_bytes_),
            .demand = skinny.demand()};
  }

  Skinny(const Problem& problem, const Config& config)
      : problem_(problem),
        splits_(problem.cols <= problem.rows),
        width_(splits_ ? problem.cols : problem.rows),
        stream_ld_(splits_ ? problem.in_ld : problem.out_ld),
        threads_(static_cast<uint32_t>(config["threads"])) {
    rows_ = splits_ ? problem.rows : problem.cols;
    if (problem.batch_rank != 0) matrices_ = problem.batch[0].extent;
    run_ = run_of(width_, config["threads"] * config["vectors"]);
    gap_ = width_ % 2 == 0 ? 16 : 0;
    shared_bytes_ = static_cast<uint64_t>(run_ * (16 * width_ + gap_) + 16 + gap_);
    blocks_ = static_cast<uint64_t>(blocks_over(rows_, run_ * 16 / problem.element_bytes));
  }

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      for (int64_t z = 0; z < matrices_; z += kMaxGridYZ) {
        const BatchDim& batch = problem_.batch[0];
        const auto* const in = static_cast<const E*>(launch.in) + z * batch.in_stride;
        auto* const out = static_cast<E*>(launch.out) + z * batch.out_stride;
        const Shape grid = {static_cast<uint32_t>(blocks_),
                            static_cast<uint32_t>(std::min(matrices_ - z, kMaxGridYZ))};
        with_constant<0, 1>(gap_ != 0, [&](auto has_gaps) {
          constexpr bool kGaps = has_gaps() != 0;
          launch_kernel(splits_ ? "deinterleave" : "interleave",
                        splits_ ? kernels::deinterleave<E, kGaps> : kernels::interleave<E, kGaps>,
                        grid, {threads_}, shared_bytes_, launch.stream, in, out,
                        shape(splits_ ? static_cast<const void*>(out) : in));
        });
      }
    });
  }

 private:
  // On the way to the runs each vector of a thread beyond two costs time. On the way back two leave
  // too few loads in flight, the more so where each is of two words that are shifted. Sides of
  // lines and more have less need of a stream, since whole tiles are fast as well: from 256 bytes
  // on, and earlier where they are no whole sectors. Bytes pass shared memory one by one, which
  // many runs do not hide; few runs want more vectors. NOTES.md has the measurements behind these
  // factors.
  Demand demand() const {
    const int64_t run_bytes = std::min(run_ * 16, rows_ * problem_.element_bytes);
    const auto stream = static_cast<uint64_t>(run_bytes * width_), run = uint64_t(run_bytes);
    const auto vectors = static_cast<uint32_t>(blocks_over(run_ * width_, threads_));
    return {.blocks = blocks_ * static_cast<uint64_t>(matrices_),
            .threads = threads_,
            .shared_bytes = static_cast<uint32_t>(shared_bytes_),
            .load_run = splits_ ? stream : run,
            .store_run = splits_ ? run : stream,
            .slower_percent = vector_percent(vectors) + width_percent() + misaligned_percent() +
                              shifted_percent() + short_row_percent() + few_bytes_percent() +
                              std::max(idle_percent(), ragged_percent())};
  }

  // Few bytes are moved sooner by simpler kernels, those of narrow elements most of all, unless
  // the other side is long.
  uint32_t few_bytes_percent() const {
    constexpr int64_t kFew = 5 << 20, kVeryFew = 2 << 20, kLong = 178000;
    const int64_t bytes = bytes_of(problem_);
    const uint32_t narrow = problem_.element_bytes <= 4 && bytes < kVeryFew ? 50 : 0;
    return narrow + (bytes < kFew && rows_ <= kLong ? 40 : 0);
  }

  // Small elements in a batch take longer in few rows, in short rows of the input, and as bytes,
  // unless there are very few rows or columns. NOTES.md says where the measurements are.
  uint32_t short_row_percent() const {
    constexpr double kFewRows = 21, kManyRows = 36, kOfBytes = 29, kHalving = 12, kRow = 256;
    constexpr int64_t kVeryFew = 16, kLongSide = 64;
    if (problem_.element_bytes > 2 || width_ <= kVeryFew || matrices_ == 1) return 0;
    const auto row = static_cast<double>(problem_.cols * problem_.element_bytes);
    return static_cast<uint32_t>((splits_              ? 0
                                  : width_ > kLongSide ? kManyRows
                                                       : kFewRows) +
                                 (problem_.element_bytes == 1 ? kOfBytes : 0) +
                                 kHalving * std::max(0.0, std::log2(kRow / row)));
  }

  // Matrices with less than a block's vectors leave threads idle: while the others wait for memory,
  // the multiprocessor has no room for more blocks. Less than two rounds of blocks wait for other
  // things as well.
  uint32_t idle_percent() const {
    const double each = static_cast<double>(rows_ * width_ * problem_.element_bytes) / 16 /
                        static_cast<double>(blocks_ * threads_);
    const double enough = splits_ ? 1.5 : 2, percent = splits_ ? 60 : 90;
    if (each >= enough) return 0;
    const double room = kThreadsAtOnce * std::max<double>(problem_.multiprocessors, 1);
    const double threads = static_cast<double>(blocks_ * threads_) * static_cast<double>(matrices_);
    return static_cast<uint32_t>(
        std::min(percent * (enough / each - 1) * std::min(1.0, threads / (2 * room)), kMostIdle));
  }

  // On the way back the last block of a matrix takes as long as a whole one, however few of its
  // rows are there: bytes wait for shared memory rather than for memory, and halfwords in part.
  uint32_t ragged_percent() const {
    const int64_t bytes = problem_.element_bytes;
    if (splits_ || bytes > 2) return 0;
    const auto has = static_cast<double>(blocks_) * static_cast<double>(run_ * 16 / bytes);
    const double longer = has / static_cast<double>(rows_);
    return static_cast<uint32_t>(100 * ((bytes == 1 ? longer : std::sqrt(longer)) - 1));
  }

  uint32_t vector_percent(uint32_t vectors) const {
    const bool is_narrow = problem_.element_bytes == 1 && width_ <= 8 && width_ % 2 == 0;
    if (splits_ && is_narrow) return vectors > 2 ? 0 : 20;
    if (splits_) return vectors > 2 ? 4 * (vectors - 2) : 0;
    if (vectors > 2) return 0;
    return problem_.in_alignment % kVectorBytes == 0 ? 7 : 20;
  }

  uint32_t width_percent() const {
    const int64_t bytes = width_ * problem_.element_bytes;
    constexpr int64_t kManyRuns = 24, kMostRuns = 96;  // of bytes
    if (problem_.element_bytes == 1 && !splits_ && width_ > kMostRuns) return 45;
    if (problem_.element_bytes == 1) return width_ > kManyRuns ? 10 : 0;
    constexpr int64_t kSmall = 8 << 20;  // bytes in and out
    const bool is_small = problem_.element_bytes >= 8 && 2 * rows_ * matrices_ * bytes < kSmall;
    return (bytes >= 64 && bytes % 32 != 0 ? 12U : 0U) + (bytes >= 256 ? 6U : 0U) +
           (is_small ? 30U : 0U);
  }

  // Elements of 8 bytes that lie beside their vectors meet in banks where gaps are between these.
  uint32_t shifted_percent() const {
    const bool is_shifted =
        std::min(problem_.in_alignment, problem_.out_alignment) % kVectorBytes != 0;
    return problem_.element_bytes == 8 && gap_ != 0 && width_ >= 8 && is_shifted ? 13 : 0;
  }

  // Many runs that begin within a sector are stored in pieces, the shorter they are the more of
  // them.
  uint32_t misaligned_percent() const {
    constexpr int64_t kFewRuns = 8, kSector = 32;
    constexpr double kMost = 65;
    const int64_t bytes = problem_.out_ld * problem_.element_bytes, alignment = bytes & -bytes;
    if (!splits_ || width_ <= kFewRuns || alignment >= kSector) return 0;
    const double of_256_bytes = alignment == 16  ? 10
                                : alignment == 8 ? 26
                                : alignment == 4 ? 34
                                                 : 42;
    return static_cast<uint32_t>(
        std::min(of_256_bytes * 256 / static_cast<double>(16 * run_), kMost));
  }

  // Vectors of each run, of so many in a block.
  static int64_t run_of(int64_t width, int64_t vectors) {
    return std::max(vectors / (width * kernels::kAlong), int64_t{1}) * kernels::kAlong;
  }

  using BatchDim = xpose_batch_dim;

  kernels::SkinnyShape shape(const void* runs) const {
    const BatchDim& batch = problem_.batch[0];
    const int64_t ld = splits_ ? problem_.out_ld : problem_.in_ld;
    const int64_t run_stride = splits_ ? batch.out_stride : batch.in_stride;
    const uint64_t strides = static_cast<uint64_t>((ld | run_stride) * problem_.element_bytes);
    return {.rows = rows_,
            .ld = ld,
            .stream_stride = splits_ ? batch.in_stride : batch.out_stride,
            .run_stride = run_stride,
            .width = static_cast<int>(width_),
            .run = static_cast<int>(run_),
            .gap = static_cast<int>(gap_),
            .aligned = (reinterpret_cast<uintptr_t>(runs) | strides) % 16 == 0,
            .by_width = kernels::Divisor(width_)};
  }

  Problem problem_;
  bool splits_;  // the input is the stream
  int64_t rows_, width_, stream_ld_;
  int64_t matrices_ = 1;
  int64_t run_;  // vectors of each run that a block has
  int64_t gap_;  // bytes
  uint64_t shared_bytes_, blocks_;
  uint32_t threads_;
};

}  // namespace

XPOSE_PLUGIN("cuda_skinny", "1.0", Skinny)
