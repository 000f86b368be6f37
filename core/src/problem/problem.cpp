// How callers state a problem.
#include <algorithm>
#include <bit>
#include <numeric>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

std::vector<BatchDim> permuted_dims(std::span<const std::int64_t> shape,
                                    std::span<const int> axes) {
  const std::size_t rank = shape.size();
  std::vector<bool> seen(rank, false);
  if (axes.size() != rank)
    refuse("a permutation of " + std::to_string(rank) + " axes needs as many entries, not " +
           std::to_string(axes.size()));
  for (const int axis : axes) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank || seen[static_cast<std::size_t>(axis)])
      refuse("axes must name each of 0 to " + std::to_string(rank - 1) + " once; " +
             std::to_string(axis) + " does not");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  std::vector<BatchDim> dims(rank);
  std::int64_t stride = 1;
  const auto grow = [&](std::int64_t extent) {
    if (extent < 0) refuse("an extent is negative");
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(extent, 1), &stride))
      refuse("the array's size does not fit in 63 bits");
  };
  for (std::size_t i = rank; i-- > 0;) {
    dims[i].extent = shape[i];
    dims[i].in_stride = stride;
    grow(shape[i]);
  }
  stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    BatchDim& dim = dims[static_cast<std::size_t>(axes[i])];
    dim.out_stride = stride;
    grow(dim.extent);
  }
  return dims;
}

// Fuses neighbours that stay neighbours; dims are in the input's order, outermost first.
void fuse_neighbours(std::vector<BatchDim>& dims) {
  std::erase_if(dims, [](const BatchDim& dim) { return dim.extent == 1; });
  for (std::size_t i = dims.size(); i-- > 1;) {
    BatchDim& outer = dims[i - 1];
    const BatchDim& inner = dims[i];
    if (outer.in_stride != inner.extent * inner.in_stride ||
        outer.out_stride != inner.extent * inner.out_stride)
      continue;
    outer = {outer.extent * inner.extent, inner.in_stride, inner.out_stride};
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The innermost axis stays innermost: take it into the element.
std::uint32_t widen_element(std::vector<BatchDim>& dims, std::uint32_t element_bytes) {
  const std::int64_t run = dims.back().extent;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(run, element_bytes, &bytes)) bytes = ~std::uint64_t{0};
  if (const std::string refusal = element_size_refusal(bytes); !refusal.empty())
    refuse("the permutation keeps the innermost axis, " + std::to_string(run) + " elements of " +
           std::to_string(element_bytes) + " bytes, which are moved as one: " + refusal);
  dims.pop_back();
  for (BatchDim& dim : dims) {
    dim.in_stride /= run;
    dim.out_stride /= run;
  }
  return static_cast<std::uint32_t>(bytes);
}

std::uint32_t address_alignment(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256U;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

}  // namespace

std::string element_size_refusal(std::uint64_t bytes) {
  const bool narrow = bytes <= 16;
  if (narrow ? std::has_single_bit(bytes) : bytes % 16 == 0 && bytes <= XPOSE_MAX_ELEMENT_BYTES)
    return {};
  std::string text = "elements are of 1, 2, 4, 8 or 16 bytes, or of a multiple of 16 up to " +
                     std::to_string(XPOSE_MAX_ELEMENT_BYTES);
  if (bytes > XPOSE_MAX_ELEMENT_BYTES)
    text += "; copy longer ones a column at a time, as cudaMemcpy2D does";
  else if (bytes != 0)
    text +=
        "; pad them to " + std::to_string(narrow ? std::bit_ceil(bytes) : (bytes + 15) / 16 * 16);
  return text;
}

bool serves_elements(std::uint32_t element_sizes, std::uint64_t bytes) {
  if (!element_size_refusal(bytes).empty()) return false;
  return (element_sizes & (bytes > 16 ? XPOSE_FAT_SIZES : bytes)) != 0;
}

Problem matrix(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes, Device device) {
  Problem problem;
  problem.element_bytes = element_bytes;
  problem.rows = rows;
  problem.cols = cols;
  problem.device = device;
  return problem;
}

Problem permutation(std::span<const std::int64_t> shape, std::span<const int> axes,
                    std::uint32_t element_bytes, Device device) {
  std::vector<BatchDim> dims = permuted_dims(shape, axes);
  Problem problem = matrix(1, 1, element_bytes, device);
  if (std::ranges::any_of(dims, [](const BatchDim& dim) { return dim.extent == 0; }))
    return matrix(0, 0, element_bytes, device);
  fuse_neighbours(dims);
  if (dims.size() > 1 && dims.back().out_stride == 1)
    problem.element_bytes = widen_element(dims, element_bytes);
  if (dims.size() == 1) {  // nothing moves: a copy
    problem.cols = dims.front().extent;
    return problem;
  }
  for (const BatchDim& dim : dims) {
    if (dim.in_stride == 1) {
      problem.cols = dim.extent;
      problem.out_ld = dim.out_stride;
    } else if (dim.out_stride == 1) {
      problem.rows = dim.extent;
      problem.in_ld = dim.in_stride;
    } else {
      problem.batch.push_back(dim);
    }
  }
  if (problem.batch.size() > XPOSE_MAX_BATCH_RANK)
    refuse("the permutation leaves " + std::to_string(problem.batch.size()) +
           " batch dimensions after fusing; at most " + std::to_string(XPOSE_MAX_BATCH_RANK) +
           " are served");
  return problem;
}

Problem aligned_as(Problem problem, const void* in, const void* out) {
  problem.in_alignment = address_alignment(in);
  problem.out_alignment = address_alignment(out);
  return problem;
}

std::string to_string(const Problem& problem) {
  std::string text = std::to_string(problem.rows) + 'x' + std::to_string(problem.cols) + " of " +
                     std::to_string(problem.element_bytes) +
                     (problem.element_bytes == 1 ? " byte" : " bytes");
  for (const BatchDim& dim : problem.batch) text += ", batch " + std::to_string(dim.extent);
  if (problem.in_ld != 0 && problem.in_ld != problem.cols)
    text += ", input leading dimension " + std::to_string(problem.in_ld);
  if (problem.out_ld != 0 && problem.out_ld != problem.rows)
    text += ", output leading dimension " + std::to_string(problem.out_ld);
  if (const std::uint32_t aligned = std::min(problem.in_alignment, problem.out_alignment);
      aligned < std::min(problem.element_bytes, 16U))
    text += ", aligned to " + std::to_string(aligned) + (aligned == 1 ? " byte" : " bytes");
  if (problem.in_place) text += ", in place";
  return text + " on " + to_string(problem.device);
}

void check_dense_pair(std::int64_t in_rows, std::int64_t in_cols, std::int64_t out_rows,
                      std::int64_t out_cols, bool unit_inner_strides) {
  const auto shape = [](std::int64_t rows, std::int64_t cols) {
    return std::to_string(rows) + 'x' + std::to_string(cols);
  };
  if (out_rows != in_cols || out_cols != in_rows)
    refuse("the output is " + shape(out_rows, out_cols) + ", but the transpose of " +
           shape(in_rows, in_cols) + " is " + shape(in_cols, in_rows));
  if (!unit_inner_strides)
    refuse("an inner stride is not 1: copy the expression into a matrix first");
}

}  // namespace xpose
