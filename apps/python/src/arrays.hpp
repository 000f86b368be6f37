// Layouts of arrays of Python's libraries.
#pragma once

#include <nanobind/nanobind.h>

#include "layout.hpp"

namespace xpose::python {

namespace nb = nanobind;

// The memory of an object with the buffer protocol, held as long as this lives.
class Buffer {
 public:
  // Throws Error invalid where `writable` is asked of what is not.
  Buffer(nb::handle array, bool writable);
  ~Buffer();
  Buffer(const Buffer&) = delete;  // owns the view
  Buffer& operator=(const Buffer&) = delete;

  const Layout& layout() const { return layout_; }

 private:
  Py_buffer view_;
  Layout layout_;
};

// The layout of a tuple (address, shape, strides, bytes of a stride's unit, bytes of an element, on
// CUDA, ordinal, writable, ...), as _arrays.py makes it.
Layout layout_of(const nb::tuple& stated);

// The order of axes that a caller gave for an array of `rank` axes: integers of either sign, as
// NumPy takes them; None: reversed. Throws Error invalid, and TypeError.
Axes order_of(nb::handle axes, std::size_t rank);

Axes numbers(nb::handle sequence);  // throws TypeError
nb::tuple tuple_of(const Axes& axes);

// Of an address that Python has as a number.
void* pointer(nb::handle address);

// Into the module: the functions of layouts and of DLPack's capsules.
void define_arrays(nb::module_& m);

}  // namespace xpose::python
