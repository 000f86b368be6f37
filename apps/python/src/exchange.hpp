// The short way for arrays of a library that has DLPack's functions for C, such as PyTorch's: no
// attribute of Python is asked for layout and stream.
#pragma once

#include "arrays.hpp"
#include "mover.hpp"
#include "prepared.hpp"

namespace xpose::python {

// Arrays of exactly this type go the short way from now on, where `is_plain(array)` is true: memory
// and type are all that there is to it. Its method new_empty makes others. `capsule` is
// __dlpack_c_exchange_api__ of the type; another version of it than this one's changes nothing.
// `on_cuda`: those on CUDA too.
void set_exchange(nb::object type, const nb::object& capsule, nb::object is_plain, bool on_cuda);

// As permute() and call() of numpy.hpp. Null where the arrays go another way.
nb::object permute_exchanged(Mover& mover, nb::handle x, nb::handle axes, nb::handle out,
                             Policy policy);
nb::object call_exchanged(const PreparedPlan& plan, nb::handle x, nb::handle out);

}  // namespace xpose::python
