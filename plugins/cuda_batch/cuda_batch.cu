// Many small dense matrices, several to a block.
#include <numeric>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "batch.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Longer sides have blocks enough of their own.
constexpr int64_t kLongest = 4096;
// Measured: NOTES.md. Small elements are gathered by many loads from shared memory, which overlap
// where a thread has more than two vectors.
constexpr uint32_t kSlowerPercent = 8, kFewVectorsPercent = 14;
constexpr int64_t kSmallElement = 2, kFewVectors = 2;

struct Batch {
  static Card card() {
    return cuda_card({.name = "batch",
                      .summary = "many small dense matrices, several to a block",
                      .max_batch_rank = 1,
                      .prior_rank = 35,
                      .axes = {{"threads", {128, 256}}, {"vectors", {4, 2}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (problem.batch_rank == 0) throw Unsupported("needs a batch of matrices");
    if (problem.rows < 2 || problem.cols < 2)
      throw Unsupported("needs sides of at least 2 elements; a side of 1 is a copy");
    if (problem.rows > kLongest || problem.cols > kLongest)
      throw Unsupported("needs sides of at most " + std::to_string(kLongest) + " elements");
    const int64_t area = problem.rows * problem.cols;
    if (problem.in_ld != problem.cols || problem.out_ld != problem.rows ||
        problem.batch[0].in_stride != area || problem.batch[0].out_stride != area)
      throw Unsupported("needs dense matrices, one behind the other without gaps");
    const Batch batch(problem, config);
    if (config["vectors"] != 4 && batch.chunk_ == chunk_of(problem, 4 * config["threads"]))
      throw Unsupported("vectors=2 makes the same block as vectors=4");
    if (batch.shared_bytes_ > kMaxSharedBytes)
      throw Unsupported("a block needs " + std::to_string(batch.shared_bytes_) +
                        " bytes of shared memory and has 48 KiB");
    const auto chunk_bytes = static_cast<uint64_t>(batch.chunk_ * area * problem.element_bytes);
    return {.launch = describe_launch({batch.blocks_}, {batch.threads_}, batch.shared_bytes_),
            .demand = {.blocks = batch.blocks_,
                       .threads = batch.threads_,
                       .shared_bytes = static_cast<uint32_t>(batch.shared_bytes_),
                       .load_run = chunk_bytes,
                       .store_run = chunk_bytes,
                       .slower_percent = kSlowerPercent + few_vectors_percent(problem, config)}};
  }

  static uint32_t few_vectors_percent(const Problem& problem, const Config& config) {
    const bool is_slower =
        problem.element_bytes <= kSmallElement && config["vectors"] <= kFewVectors;
    return is_slower ? kFewVectorsPercent : 0;
  }

  Batch(const Problem& problem, const Config& config)
      : problem_(problem), threads_(static_cast<uint32_t>(config["threads"])) {
    const int64_t bytes = problem.rows * problem.cols * problem.element_bytes;
    chunk_ = chunk_of(problem, config["threads"] * config["vectors"]);
    blocks_ = static_cast<uint64_t>(blocks_over(problem.batch[0].extent, chunk_));
    // The threads of a wavefront have vectors of some columns: as many bytes as these span lie
    // between the places of two neighbouring vectors of a column, modulo those of all banks, where
    // the gap is needed at all.
    const int64_t unit = std::max<int64_t>(4, problem.element_bytes);
    const int64_t along = std::max<int64_t>(1, problem.rows * problem.element_bytes / 16);
    const int64_t columns = 128 / unit / along;
    gap_ = problem.cols % 2 == 0 ? std::max<int64_t>(16, columns * problem.element_bytes / 16 * 16)
                                 : 0;
    shared_bytes_ = static_cast<uint64_t>(
        blocks_over(chunk_ * bytes, 16 * problem.cols) * (16 * problem.cols + gap_) + 16 + gap_);
  }

  void launch(const Launch& launch) const {
    const kernels::BatchShape shape = {.count = problem_.batch[0].extent,
                                       .rows = static_cast<int>(problem_.rows),
                                       .cols = static_cast<int>(problem_.cols),
                                       .chunk = static_cast<int>(chunk_),
                                       .gap = static_cast<int>(gap_),
                                       .by_rows = kernels::Divisor(problem_.rows),
                                       .by_cols = kernels::Divisor(problem_.cols)};
    with_element(problem_.element_bytes, [&]<class E>(E) {
      with_constant<0, 1>(gap_ != 0, [&](auto has_gaps) {
        launch_kernel("batch", kernels::batch<E, has_gaps() != 0>, {static_cast<uint32_t>(blocks_)},
                      {threads_}, shared_bytes_, launch.stream, static_cast<const E*>(launch.in),
                      static_cast<E*>(launch.out), shape);
      });
    });
  }

 private:
  // Matrices in a block of about so many vectors: without a rest of a vector.
  static int64_t chunk_of(const Problem& problem, int64_t vectors) {
    const int64_t bytes = problem.rows * problem.cols * problem.element_bytes;
    const int64_t fewest = 16 / std::gcd(bytes, int64_t{16});
    return std::max(16 * vectors / (bytes * fewest), int64_t{1}) * fewest;
  }

  Problem problem_;
  int64_t chunk_;  // matrices of a block
  int64_t gap_;    // bytes
  uint64_t shared_bytes_, blocks_;
  uint32_t threads_;
};

}  // namespace

XPOSE_PLUGIN("cuda_batch", "1.0", Batch)
