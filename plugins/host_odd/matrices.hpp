// The matrices of odd units that a problem has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>
#include <xpose/plugin.hpp>

namespace host_odd {

// Bytes of a unit, at most.
inline constexpr int64_t kMostUnit = 31;

// A batch dimension; strides in bytes.
struct Dim {
  int64_t extent, in, out;
};

// Matrices of units that lie side by side along the input's rows, and along the output's. The first
// element of the first matrix lies so many bytes behind the problem's.
struct Matrices {
  int64_t unit;  // bytes
  int64_t rows, cols;
  int64_t in_pitch, out_pitch;  // bytes from row to row
  int64_t in_begin, out_begin;
  std::vector<Dim> dims;

  int64_t count() const;
};

// Nothing where a problem has no such matrices.
std::optional<Matrices> matrices(const xpose::plugin::Problem& problem);

}  // namespace host_odd
