#include "problem/interlocking.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "problem/dimensions.hpp"
#include "problem/disjoint.hpp"
#include "problem/normal_form.hpp"
#include "xpose/views.hpp"

namespace xpose {
namespace {

// An output stride, and the elements that smaller axes span.
struct Crossing {
  std::int64_t stride;
  std::int64_t span;
};

// The smallest axis that steps into the span of smaller ones.
std::optional<Crossing> crossing(std::vector<BatchDim> dims) {
  for (BatchDim& dim : dims) dim.out_stride = std::abs(dim.out_stride);
  std::ranges::sort(dims, {}, &BatchDim::out_stride);
  std::int64_t span = 1;
  for (const BatchDim& dim : dims) {
    if (dim.out_stride < span) return Crossing{dim.out_stride, span};
    span += (dim.extent - 1) * dim.out_stride;
  }
  return std::nullopt;
}

}  // namespace

std::vector<BatchDim> take_interlocking(Problem& problem) {
  if (problem.batch.empty()) return {};  // rows and columns do not interlock
  const std::vector<BatchDim> dims = dimensions(problem);
  const std::optional<Crossing> found = crossing(dims);
  if (!found) return {};
  if (const Overlap overlap = output_overlap(dims); overlap != Overlap::none)
    throw Error(ErrorKind::invalid,
                "cannot transpose " + to_string(problem) + ": " +
                    (overlap == Overlap::found
                         ? "output elements overlap"
                         : "output elements may overlap, in more ways than are searched") +
                    ": an output stride of " + std::to_string(found->stride) +
                    " elements is less than the " + std::to_string(found->span) +
                    " elements that inner axes span; transpose into a buffer of its own, and copy "
                    "from there");
  std::vector<BatchDim> batch, taken;
  std::swap(batch, problem.batch);
  std::ranges::stable_sort(batch, std::ranges::greater{}, &BatchDim::extent);
  for (const BatchDim& dim : batch) {
    problem.batch.push_back(dim);
    if (!crossing(dimensions(problem))) continue;
    problem.batch.pop_back();
    taken.push_back(dim);
  }
  return taken;
}

bool output_overlaps(const Problem& problem) {
  out_span(problem);  // refuses what overflows
  const std::vector<BatchDim> dims = dimensions(problem);
  return crossing(dims) && output_overlap(dims) == Overlap::found;
}

}  // namespace xpose
