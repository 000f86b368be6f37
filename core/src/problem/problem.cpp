// How callers state a problem.
#include <algorithm>
#include <bit>
#include <numeric>

#include "problem/dimensions.hpp"
#include "xpose/plugin.h"
#include "xpose/views.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

void check_axes(std::size_t rank, std::span<const int> axes) {
  std::vector<bool> seen(rank, false);
  if (axes.size() != rank)
    refuse("a permutation of " + std::to_string(rank) +
           " axes needs as many entries in axes, not " + std::to_string(axes.size()));
  for (const int axis : axes) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank || seen[static_cast<std::size_t>(axis)])
      refuse("axes must name each of 0 to " + std::to_string(rank - 1) + " once; " +
             std::to_string(axis) + " is out of range or named twice");
    seen[static_cast<std::size_t>(axis)] = true;
  }
}

std::uint32_t address_alignment(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256U;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

}  // namespace

std::string element_size_refusal(std::uint64_t bytes) {
  if (bytes >= 1 && bytes <= XPOSE_MAX_ELEMENT_BYTES) return {};
  return "elements have 1 to " + std::to_string(XPOSE_MAX_ELEMENT_BYTES) + " bytes" +
         (bytes == 0 ? "" : "; state longer ones as one more axis of shorter elements");
}

bool serves_elements(std::uint32_t element_sizes, std::uint64_t bytes) {
  return is_moved_whole(bytes) && (element_sizes & (bytes > 16 ? XPOSE_FAT_SIZES : bytes)) != 0;
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
  check_axes(shape.size(), axes);
  std::vector<std::int64_t> permuted;
  for (const int axis : axes) permuted.push_back(shape[static_cast<std::size_t>(axis)]);
  return permutation(shape, axes, dense_strides(shape), dense_strides(permuted), element_bytes,
                     device);
}

Problem permutation(std::span<const std::int64_t> shape, std::span<const int> axes,
                    std::span<const std::int64_t> in_strides,
                    std::span<const std::int64_t> out_strides, std::uint32_t element_bytes,
                    Device device) {
  check_axes(shape.size(), axes);
  if (in_strides.size() != shape.size() || out_strides.size() != shape.size())
    refuse("a permutation of " + std::to_string(shape.size()) +
           " axes needs a stride for each axis of both sides, not " +
           std::to_string(in_strides.size()) + " and " + std::to_string(out_strides.size()));
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 0)
      refuse("input axis " + std::to_string(axis) + " needs an extent of 0 or more, not " +
             std::to_string(shape[axis]));
  if (std::ranges::find(shape, 0) != shape.end()) return matrix(0, 0, element_bytes, device);
  Problem problem = matrix(1, 1, element_bytes, device);
  std::vector<BatchDim> dims(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    if (shape[axis] > 1 && out_strides[i] == 0)
      refuse("output elements overlap: the stride of output axis " + std::to_string(i) +
             " is 0; give each its own place");
    dims[axis] = {shape[axis], in_strides[axis], out_strides[i]};
    std::int64_t span = 0;
    if (shape[axis] > 1 && (__builtin_mul_overflow(shape[axis], in_strides[axis], &span) ||
                            __builtin_mul_overflow(shape[axis], out_strides[i], &span)))
      refuse("the array spans more than 2^56 bytes, which no machine addresses");
  }
  std::erase_if(dims, [](const BatchDim& dim) { return dim.extent == 1; });
  fuse(dims);
  set_dimensions(problem, std::move(dims));
  return problem;
}

void check_permuted_extents(std::span<const std::int64_t> in, std::span<const std::int64_t> out,
                            std::span<const int> axes) {
  check_axes(in.size(), axes);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (const std::int64_t wanted = in[static_cast<std::size_t>(axes[i])]; out[i] != wanted)
      refuse("output axis " + std::to_string(i) + " has " + std::to_string(out[i]) +
             " elements, but input axis " + std::to_string(axes[i]) + ", which moves there, has " +
             std::to_string(wanted));
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
                      std::int64_t out_cols, bool are_stored) {
  const auto shape = [](std::int64_t rows, std::int64_t cols) {
    return std::to_string(rows) + 'x' + std::to_string(cols);
  };
  if (out_rows != in_cols || out_cols != in_rows)
    refuse("the output is " + shape(out_rows, out_cols) + ", but the transpose of " +
           shape(in_rows, in_cols) + " is " + shape(in_cols, in_rows));
  if (!are_stored)
    refuse(
        "an inner stride is not 1, or an outer one is 0: copy the expression into a matrix first");
}

}  // namespace xpose
