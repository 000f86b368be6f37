// The axes of a problem in the units that kernels move.
#pragma once

#include <cstdint>
#include <vector>
#include <xpose/plugin.hpp>

#include "tiling.hpp"

namespace host_permute {

// A unit is an element, a 16-byte part of a fat one, or a short run that stays together. Element 0
// of the axes lies so many bytes behind the problem's.
struct Units {
  explicit Units(const xpose::plugin::Problem& problem);

  int64_t bytes;           // of a unit
  std::vector<Axis> axes;  // extents of at least 2
  int64_t in_begin = 0, out_begin = 0;

 private:
  // Makes a short run that stays together one unit, where all strides are of whole ones.
  void widen();
  // Reads an axis forwards that is read backwards, so that its elements are a run of the input.
  void turn(Axis& axis);
};

}  // namespace host_permute
