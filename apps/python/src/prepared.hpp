// A plan of Python: called with arrays of the layout that it was made for.
#pragma once

#include <memory>
#include <string>

#include "arrays.hpp"
#include "mover.hpp"

namespace xpose::python {

class PreparedPlan {
 public:
  PreparedPlan(Mover& mover, const Layout& in, const Layout& out, const Axes& axes, bool in_place,
               const PlanOptions& options);

  // Moves `in` to `out`. Throws Error invalid where a layout is another than the plan's.
  void execute(const Layout& in, const Layout& out, void* stream) const;

  const Axes& shape() const { return out_.extents; }  // of the result
  const nb::tuple& python_shape() const { return python_shape_; }
  const nb::tuple& strides_of_new() const { return strides_of_new_; }  // in C order, in elements
  std::string variant() const;  // "smem{tile=64}"; empty: nothing to do
  std::string launch() const;
  std::string problem() const;
  bool is_estimate() const;

 private:
  Layout in_;
  Layout out_;
  bool in_place_;
  nb::tuple python_shape_;
  nb::tuple strides_of_new_;
  std::shared_ptr<AlignedPlans> plans_;
  std::optional<Plan> promised_;
};

}  // namespace xpose::python
