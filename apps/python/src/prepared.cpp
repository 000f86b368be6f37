#include "prepared.hpp"

#include <algorithm>

namespace xpose::python {
namespace {

// Whether every element lies where it does in the other, from element 0.
bool same_layout(const Layout& a, const Layout& b) {
  if (a.element_bytes != b.element_bytes || a.device != b.device ||
      !std::ranges::equal(a.extents.span(), b.extents.span()))
    return false;
  if (a.is_empty()) return true;  // NumPy states strides of its own for those
  for (std::size_t i = 0; i < a.extents.size(); ++i)
    if (a.extents[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

void check(const Layout& array, const Layout& promised, const char* name) {
  if (same_layout(array, promised)) return;
  const auto text = [](const Axes& axes) { return std::string(nb::str(tuple_of(axes)).c_str()); };
  throw Error(ErrorKind::invalid,
              std::string("the plan is for ") + name + " of shape " + text(promised.extents) +
                  ", strides " + text(promised.strides) + " in bytes and elements of " +
                  std::to_string(promised.element_bytes) + " bytes on " +
                  to_string(promised.device) + "; this one has shape " + text(array.extents) +
                  ", strides " + text(array.strides) + " and elements of " +
                  std::to_string(array.element_bytes) + " bytes on " + to_string(array.device) +
                  ": make another plan, or call permute_dims");
}

}  // namespace

PreparedPlan::PreparedPlan(Mover& mover, const Layout& in, const Layout& out, const Axes& axes,
                           bool in_place, const PlanOptions& options)
    : in_(in),
      out_(out),
      in_place_(in_place),
      python_shape_(tuple_of(out.extents)),
      strides_of_new_(tuple_of(python::strides_of_new(out.extents))) {
  check_fit(in, out, axes);
  if (in.is_empty()) return;
  plans_ = mover.prepare(in, out, axes, in_place, options);
  promised_ = plans_->plan_for(in.address, out.address, Estimates::stay);
}

void PreparedPlan::execute(const Layout& in, const Layout& out, void* stream) const {
  check(in, in_, "an input");
  check(out, out_, "an output");
  if (in.is_empty()) return;
  if (in_place_ && in.address != out.address)  // also where nothing moves
    throw Error(ErrorKind::invalid,
                "input and output are two arrays, but the plan is for one: call it with out=x, or "
                "make one without out=x");
  if (!promised_) return;
  if (!in_place_ && in.address == out.address)
    throw Error(ErrorKind::invalid,
                "input and output are one array, but the plan is for two: make it with out=x");
  const auto plan = plans_->plan_for(in.address, out.address, Estimates::stay);
  python::execute(plan, in.address, out.address, stream);
}

std::string PreparedPlan::variant() const {
  return promised_ && !promised_->variant().strategy.empty() ? to_string(promised_->variant()) : "";
}
std::string PreparedPlan::launch() const { return promised_ ? promised_->launch() : ""; }
std::string PreparedPlan::problem() const {
  return promised_ ? to_string(promised_->problem()) : "nothing to move";
}
bool PreparedPlan::is_estimate() const { return promised_ && promised_->is_estimate(); }

}  // namespace xpose::python
