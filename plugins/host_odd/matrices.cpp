#include "matrices.hpp"

#include <bit>

namespace host_odd {

int64_t Matrices::count() const {
  int64_t count = 1;
  for (const Dim& dim : dims) count *= dim.extent;
  return count;
}

// A unit is the run that a problem keeps. A batch dimension along which output units follow each
// other has the rows, one along which input units do the columns, which may be read backwards.
std::optional<Matrices> matrices(const xpose::plugin::Problem& problem) {
  const int64_t element = problem.element_bytes, unit = problem.cols * element;
  if (problem.rows != 1 || problem.out_ld != 1 || unit > kMostUnit ||
      std::has_single_bit(static_cast<uint64_t>(unit)))
    return std::nullopt;
  Matrices of{.unit = unit};
  for (uint32_t i = 0; i < problem.batch_rank; ++i) {
    Dim dim{problem.batch[i].extent, problem.batch[i].in_stride * element,
            problem.batch[i].out_stride * element};
    if (of.rows == 0 && dim.out == unit) {
      of.rows = dim.extent;
      of.in_pitch = dim.in;
      continue;
    }
    if (of.cols != 0 || (dim.in != unit && dim.in != -unit)) {
      of.dims.push_back(dim);
      continue;
    }
    of.cols = dim.extent;
    of.out_pitch = dim.out;
    if (dim.in > 0) continue;
    of.in_begin = (dim.extent - 1) * dim.in;
    of.out_begin = (dim.extent - 1) * dim.out;
    of.out_pitch = -dim.out;
  }
  if (of.rows == 0 || of.cols == 0) return std::nullopt;
  return of;
}

}  // namespace host_odd
