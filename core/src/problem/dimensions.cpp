#include "problem/dimensions.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "xpose/plugin.h"

namespace xpose {
namespace {

bool continues(const BatchDim& outer, const BatchDim& inner) {
  return outer.in_stride == inner.extent * inner.in_stride &&
         outer.out_stride == inner.extent * inner.out_stride;
}

bool is_run(const BatchDim& dim) { return dim.in_stride == 1 && dim.out_stride == 1; }

// Takes a dimension out of the list; one of extent 1 where none is wanted.
template <class Wanted>
BatchDim take(std::vector<BatchDim>& dims, const Wanted& is_wanted) {
  const auto found = std::ranges::find_if(dims, is_wanted);
  if (found == dims.end()) return {};
  const BatchDim dim = *found;
  dims.erase(found);
  return dim;
}

}  // namespace

bool is_moved_whole(std::uint64_t bytes) {
  return bytes <= 16 ? std::has_single_bit(bytes)
                     : bytes % 16 == 0 && bytes <= XPOSE_MAX_ELEMENT_BYTES;
}

std::vector<BatchDim> dimensions(const Problem& problem) {
  std::vector<BatchDim> dims = {{problem.rows, problem.in_ld, 1},
                                {problem.cols, 1, problem.out_ld}};
  dims.insert(dims.end(), problem.batch.begin(), problem.batch.end());
  std::erase_if(dims, [](const BatchDim& dim) { return dim.extent == 1; });
  return dims;
}

std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();  // any strides will do
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] < 0)
      throw Error(ErrorKind::invalid, "axis " + std::to_string(i) +
                                          " needs an extent of 0 or more, not " +
                                          std::to_string(shape[i]));
    strides[i] = stride;
    if (!is_empty && __builtin_mul_overflow(stride, shape[i], &stride))
      throw Error(ErrorKind::invalid, "the array has more than 2^63 - 1 elements");
  }
  return strides;
}

void fuse(std::vector<BatchDim>& dims) {
  for (bool has_fused = true; has_fused;) {
    has_fused = false;
    for (std::size_t outer = 0; outer < dims.size() && !has_fused; ++outer)
      for (BatchDim& inner : dims) {
        if (&inner == &dims[outer] || !continues(dims[outer], inner)) continue;
        inner.extent *= dims[outer].extent;
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(outer));
        has_fused = true;
        break;
      }
  }
}

void set_dimensions(Problem& problem, std::vector<BatchDim> dims) {
  // Of several columns, the longest.
  std::ranges::stable_sort(dims, std::ranges::greater{}, &BatchDim::extent);
  const bool has_run = std::ranges::any_of(dims, is_run);
  const BatchDim cols =
      take(dims, [&](const BatchDim& dim) { return has_run ? is_run(dim) : dim.in_stride == 1; });
  const BatchDim rows = take(dims, [&](const BatchDim& dim) {
    return dim.out_stride == 1 && std::abs(dim.in_stride) >= cols.extent;
  });
  problem.rows = rows.extent;
  problem.cols = cols.extent;
  problem.in_ld = rows.extent == 1 ? cols.extent : rows.in_stride;
  problem.out_ld = cols.extent == 1 ? rows.extent : cols.out_stride;
  problem.batch = std::move(dims);
}

}  // namespace xpose
