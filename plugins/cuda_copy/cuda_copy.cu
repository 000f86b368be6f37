// Copies of the problem's bytes: the fastest of them is the roof a transpose is held against, and
// the study's two show the worth of coalescing alone.
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "copy_col.cuh"
#include "copy_row.cuh"
#include "copy_wide.cuh"
#include "rows_of_bytes.hpp"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr Tiling kAlongRows = {
    .tile_x = 32, .tile_y = 16, .block_x = 32, .block_y = 16, .role = XPOSE_COPY};
constexpr Tiling kAlongCols = {.tile_x = 32,
                               .tile_y = 16,
                               .block_x = 32,
                               .block_y = 16,
                               .x_along = Along::input_col,
                               .role = XPOSE_COPY};

Card copy_card(const char* name, const char* summary, uint32_t min_alignment, int32_t prior_rank) {
  return cuda_card({.name = name,
                    .summary = summary,
                    .role = XPOSE_COPY,
                    .min_alignment = min_alignment,
                    .prior_rank = prior_rank});
}

template <class E>
using CopyKernel = void (*)(const E*, E*, int rows, int cols, int64_t in_ld, int64_t out_ld);

template <class E>
void launch_copy(const char* name, CopyKernel<E> kernel, const Problem& problem,
                 const Launch& launch, const Tiling& tiling) {
  for_each_part<E>(problem, launch, tiling, [&](const Part<E>& part) {
    launch_kernel(name, kernel, part.grid, tiling.block(), 0, launch.stream, part.in, part.out,
                  part.rows, part.cols, problem.in_ld, problem.out_ld);
  });
}

struct CopyRow {
  static Card card() {
    return copy_card("copy_row", "one element a thread, walks along rows", 0, 920);
  }

  static Quote quote(const Problem& problem, const Config&) {
    return quote_tiles(problem, kAlongRows);
  }

  CopyRow(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      launch_copy("copy_row", kernels::copy_row<E>, problem_, launch, kAlongRows);
    });
  }

  Problem problem_;
};

struct CopyCol {
  static Card card() {
    return copy_card("copy_col", "one element a thread, walks down columns", 0, 930);
  }

  static Quote quote(const Problem& problem, const Config&) {
    return quote_tiles(problem, kAlongCols);
  }

  CopyCol(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      launch_copy("copy_col", kernels::copy_col<E>, problem_, launch, kAlongCols);
    });
  }

  Problem problem_;
};

constexpr uint32_t kWideThreads = 256;

struct CopyWide {
  static Card card() {
    return copy_card("copy_wide", "words of up to 16 bytes, four of them in flight per thread", 1,
                     910);
  }

  static Quote quote(const Problem& problem, const Config&) {
    const RowsOfBytes copy(problem);
    Quote quote;
    // With 16-byte words; addresses that are aligned to less take more blocks.
    quote.launch = describe_launch({blocks_across(copy, 16), static_cast<uint64_t>(copy.rows)},
                                   {kWideThreads});
    return quote;
  }

  CopyWide(const Problem& problem, const Config&) : copy_(problem) {}

  void launch(const Launch& launch) const {
    const auto* in = static_cast<const unsigned char*>(launch.in);
    auto* out = static_cast<unsigned char*>(launch.out);
    with_element(static_cast<uint32_t>(copy_.word_bytes(in, out)), [&]<class Word>(Word) {
      for (int64_t row = 0; row < copy_.rows; row += kMaxGridYZ) {
        const Shape grid = {static_cast<uint32_t>(blocks_across(copy_, sizeof(Word))),
                            static_cast<uint32_t>(std::min(copy_.rows - row, kMaxGridYZ))};
        launch_kernel("copy_wide", kernels::copy_wide<Word>, grid, {kWideThreads}, 0, launch.stream,
                      in + row * copy_.in_pitch, out + row * copy_.out_pitch, copy_.row_bytes,
                      copy_.in_pitch, copy_.out_pitch);
      }
    });
  }

  // A row shorter than a word still has a block, which moves its bytes.
  static uint64_t blocks_across(const RowsOfBytes& copy, int64_t word_bytes) {
    const int64_t words = std::max<int64_t>(copy.row_bytes / word_bytes, 1);
    return static_cast<uint64_t>(blocks_over(words, kernels::kWideLoads * kWideThreads));
  }

  RowsOfBytes copy_;
};

struct CopyDeviceMemcpy {
  static Card card() {
    return copy_card("copy_device_memcpy", "cudaMemcpyAsync, or cudaMemcpy2DAsync with padded rows",
                     1, 900);
  }

  static Quote quote(const Problem& problem, const Config&) {
    const RowsOfBytes copy(problem);
    if (copy.rows > 1 && std::max(copy.in_pitch, copy.out_pitch) > INT32_MAX)
      throw Unsupported("cudaMemcpy2D needs rows less than 2 GiB apart");
    return {.launch = copy.rows == 1 ? "cudaMemcpyAsync" : "cudaMemcpy2DAsync"};
  }

  CopyDeviceMemcpy(const Problem& problem, const Config&) : copy_(problem) {}

  void launch(const Launch& launch) const {
    const auto stream = static_cast<cudaStream_t>(launch.stream);
    const auto row_bytes = static_cast<size_t>(copy_.row_bytes);
    if (copy_.rows == 1) {
      check_cuda(
          cudaMemcpyAsync(launch.out, launch.in, row_bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    } else {
      check_cuda(
          cudaMemcpy2DAsync(launch.out, static_cast<size_t>(copy_.out_pitch), launch.in,
                            static_cast<size_t>(copy_.in_pitch), row_bytes,
                            static_cast<size_t>(copy_.rows), cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpy2DAsync");
    }
  }

  RowsOfBytes copy_;
};

}  // namespace

XPOSE_PLUGIN("cuda_copy", "1.0", CopyDeviceMemcpy, CopyWide, CopyRow, CopyCol)
