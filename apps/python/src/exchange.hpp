// The short way for arrays of a library that has DLPack's functions for C, such as PyTorch's: no
// function of Python is called for layout and stream.
#pragma once

#include "arrays.hpp"
#include "mover.hpp"
#include "prepared.hpp"

namespace xpose::python {

// Defines set_exchange(type, capsule, followers, level, on_host, on_cuda, current_device,
// serves_cuda). Arrays of exactly this type go the short way from then on where memory and type are
// all that there is to them, and no one follows the calls of the thread.
//   capsule         __dlpack_c_exchange_api__ of the type; another version than this one's changes
//                   nothing
//   followers       functions without arguments, which tell whether a call is followed
//   level           a dict, whose _current_level is negative where no forward gradient is computed
//   on_host         makes an array of a shape, strides in elements and a dtype; None: the method
//   on_cuda         new_empty of another array does; on_cuda makes it on the current device
//   current_device  a function without arguments that tells the ordinal; None: there is one device
//   serves_cuda     arrays on the current device go this way too
void define_exchange(nb::module_& m);

// As permute() and call() of numpy.hpp. Null where the arrays go another way.
nb::object permute_exchanged(Mover& mover, nb::handle x, nb::handle axes, nb::handle out,
                             Policy policy);
nb::object call_exchanged(const PreparedPlan& plan, nb::handle x, nb::handle out);

}  // namespace xpose::python
