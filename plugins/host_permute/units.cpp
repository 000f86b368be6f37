#include "units.hpp"

#include <algorithm>
#include <utility>

#include "kernels.hpp"

namespace host_permute {

Units::Units(const xpose::plugin::Problem& problem)
    : bytes(std::min<int64_t>(problem.element_bytes, 16)) {
  const int64_t parts = problem.element_bytes / bytes;
  axes = {{parts, 1, 1},
          {problem.rows, problem.in_ld * parts, parts},
          {problem.cols, parts, problem.out_ld * parts}};
  for (uint32_t i = 0; i < problem.batch_rank; ++i)
    axes.push_back({problem.batch[i].extent, problem.batch[i].in_stride * parts,
                    problem.batch[i].out_stride * parts});
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  widen();
  for (Axis& axis : axes)
    if (axis.in == -1 && axis.out != 1) turn(axis);
}

void Units::widen() {
  const auto kept =
      std::ranges::find_if(axes, [](const Axis& axis) { return axis.in == 1 && axis.out == 1; });
  if (kept == axes.end() || kept->extent * bytes > kMostUnitBytes) return;
  const int64_t run = kept->extent;
  const auto fits = [&](const Axis& axis) { return axis.in % run == 0 && axis.out % run == 0; };
  std::vector<Axis> others = axes;
  others.erase(others.begin() + (kept - axes.begin()));
  if (!std::ranges::all_of(others, fits)) return;
  bytes *= run;
  axes = std::move(others);
  for (Axis& axis : axes) axis = {axis.extent, axis.in / run, axis.out / run};
}

void Units::turn(Axis& axis) {
  in_begin += (axis.extent - 1) * axis.in * bytes;
  out_begin += (axis.extent - 1) * axis.out * bytes;
  axis = {axis.extent, -axis.in, -axis.out};
}

}  // namespace host_permute
