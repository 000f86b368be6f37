// The shortest way for NumPy's own arrays.
#pragma once

#include "arrays.hpp"
#include "mover.hpp"
#include "prepared.hpp"

namespace xpose::python {

// The objects that _arrays.py passes: numpy.ndarray, numpy.empty, its function for other arrays.
void set_python_side(nb::object ndarray, nb::object empty, nb::object permute_other,
                     nb::object call_other);

// permute_dims of xpose: the array that results, or `out`.
nb::object permute(Mover& mover, nb::handle x, nb::handle axes, nb::handle out, nb::handle stream,
                   nb::handle policy);

// A plan's call.
nb::object call(const PreparedPlan& plan, nb::handle x, nb::handle out, nb::handle stream);

}  // namespace xpose::python
