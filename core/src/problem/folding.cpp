#include "problem/folding.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "problem/dimensions.hpp"

namespace xpose {
namespace {

// The dimensions with positive output strides: an axis that the output counts backwards is counted
// from its other end.
void count_forwards(std::vector<BatchDim>& dims) {
  for (BatchDim& dim : dims)
    if (dim.out_stride < 0) dim = {dim.extent, -dim.in_stride, -dim.out_stride};
}

bool stays_together(const BatchDim& dim) { return dim.in_stride == 1 && dim.out_stride == 1; }

// Whether that is more than a batch of matrices, whose innermost run may be an element.
bool is_permutation(const std::vector<BatchDim>& dims) {
  const auto runs = static_cast<std::size_t>(std::ranges::count_if(dims, stays_together));
  return dims.size() - runs > 3 ||
         std::ranges::any_of(dims, [](const BatchDim& dim) { return dim.in_stride < 0; });
}

// The most bytes that are moved at once: of an element of up to 16 bytes, and of a fat one. A GPU
// moves words that divide their address; its fat matrices have ways for every address.
struct Words {
  std::uint32_t of_element = 16, of_fat = 16;
};

Words words(const Problem& problem, const std::vector<BatchDim>& dims) {
  if (problem.device.kind != DeviceKind::cuda) return {};
  const std::uint32_t bits = problem.in_alignment | problem.out_alignment;
  const std::uint32_t word = std::min(bits & -bits, 16U);
  return {word, is_permutation(dims) ? word : 16U};
}

// Whether strategies take elements of that size at addresses that these words divide.
bool is_served_whole(std::uint64_t bytes, const Words& words) {
  const std::uint32_t word = bytes > 16 ? words.of_fat : words.of_element;
  return is_moved_whole(bytes) && std::min<std::uint64_t>(bytes & -bytes, 16) <= word;
}

// Strides in parts of an element, and the parts as one more dimension.
void split_elements(Problem& problem, std::vector<BatchDim>& dims, std::uint32_t word) {
  const std::uint32_t bytes = problem.element_bytes;
  const std::uint32_t part = std::min(bytes & -bytes, word);
  for (BatchDim& dim : dims) {
    dim.in_stride *= bytes / part;
    dim.out_stride *= bytes / part;
  }
  dims.push_back({bytes / part, 1, 1});
  problem.element_bytes = part;
}

// Strides in elements of `bytes` bytes, which all of them are whole ones of.
void widen_elements(Problem& problem, std::vector<BatchDim>& dims, std::int64_t bytes) {
  const std::int64_t factor = bytes / problem.element_bytes;
  for (BatchDim& dim : dims) {
    dim.in_stride /= factor;
    dim.out_stride /= factor;
  }
  problem.element_bytes = static_cast<std::uint32_t>(bytes);
}

// Elements that stay together become one where a strategy may take that whole, else fewer and wider
// ones.
void widen_run(Problem& problem, std::vector<BatchDim>& dims, const Words& words) {
  const auto run = std::ranges::find_if(dims, stays_together);
  if (run == dims.end()) return;
  const std::int64_t size = problem.element_bytes;
  const std::int64_t bytes = run->extent * size;
  dims.erase(run);
  std::int64_t steps = 0;  // all strides, in bytes: their common divisors divide it
  std::uint64_t bits =
      problem.in_alignment | problem.out_alignment | static_cast<std::uint64_t>(bytes);
  for (const BatchDim& dim : dims)
    for (const std::int64_t stride : {dim.in_stride, dim.out_stride}) {
      steps = std::gcd(steps, stride * size);
      bits |= static_cast<std::uint64_t>(stride * size);
    }
  if (is_served_whole(static_cast<std::uint64_t>(bytes), words) && steps % bytes == 0)
    return widen_elements(problem, dims, bytes);
  const std::int64_t wide =
      std::max(static_cast<std::int64_t>(std::min<std::uint64_t>(bits & -bits, 16)), size);
  widen_elements(problem, dims, wide);
  dims.push_back({bytes / wide, 1, 1});
}

}  // namespace

void fold(Problem& problem) {
  std::vector<BatchDim> dims = dimensions(problem);
  count_forwards(dims);
  fuse(dims);
  const Words moved = words(problem, dims);
  const bool is_whole = problem.in_place || is_served_whole(problem.element_bytes, moved);
  const bool is_column = problem.rows > 1 && problem.cols == 1;
  if (!is_whole) {
    split_elements(problem, dims, moved.of_element);
    fuse(dims);
  }
  if (!problem.in_place && (dims.size() > 1 || !is_whole)) {
    if (problem.element_bytes > 16 && std::ranges::any_of(dims, stays_together)) {
      split_elements(problem, dims, moved.of_element);
      fuse(dims);
    }
    widen_run(problem, dims, moved);
  }
  const bool stays_column = is_column && dims.size() == 1 && stays_together(dims[0]);
  set_dimensions(problem, std::move(dims));
  if (stays_column) {  // of which a row is the transpose; as the caller states it
    problem.rows = std::exchange(problem.cols, 1);
    problem.in_ld = 1;
    problem.out_ld = problem.rows;
  }
}

}  // namespace xpose
