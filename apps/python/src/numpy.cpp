#include "numpy.hpp"

#include <string>

#include "exchange.hpp"
#include "interpreter_lock.hpp"

namespace xpose::python {
namespace {

// Never freed: the interpreter is gone when this library's destructors run.
struct PythonSide {
  nb::object ndarray, empty, permute_other, call_other;
  nb::object dtype = nb::steal(PyUnicode_InternFromString("dtype"));
  nb::object has_object = nb::steal(PyUnicode_InternFromString("hasobject"));
};
PythonSide& python_side() {
  static auto* const side = new PythonSide;
  return *side;
}

nb::object attribute(nb::handle object, const nb::object& name) {
  nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!value.is_valid()) throw nb::python_error();
  return value;
}

template <class... Arguments>
nb::object called(const nb::object& function, Arguments... arguments) {
  PyObject* const all[] = {arguments.ptr()...};
  nb::object result = nb::steal(staying(
      [&] { return PyObject_Vectorcall(function.ptr(), all, sizeof...(arguments), nullptr); }));
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

bool is_numpy(nb::handle x) {
  return reinterpret_cast<PyObject*>(Py_TYPE(x.ptr())) == python_side().ndarray.ptr();
}

// Of an array whose elements may be moved as bytes.
nb::object movable_dtype(nb::handle x) {
  nb::object dtype = attribute(x, python_side().dtype);
  if (attribute(dtype, python_side().has_object).ptr() != Py_False)
    throw nb::type_error(
        "arrays of references, such as Python objects and StringDType, are not moved: only the "
        "interpreter may copy these; numpy.transpose serves them");
  return dtype;
}

// numpy.empty makes texts of no characters one character long.
nb::object made(const nb::tuple& shape, const nb::object& dtype, const Layout& in) {
  const nb::object& maker = in.element_bytes == 0 ? python_side().ndarray : python_side().empty;
  return called(maker, nb::handle(shape), nb::handle(dtype));
}

// The caller's array to write.
nb::object given(nb::handle out, const nb::object& dtype) {
  const nb::object other = attribute(out, python_side().dtype);
  if (other.is(dtype)) return nb::borrow(out);
  const int equal = PyObject_RichCompareBool(dtype.ptr(), other.ptr(), Py_EQ);
  if (equal < 0) throw nb::python_error();
  if (equal == 0)
    throw nb::type_error(("out has dtype " + std::string(nb::str(other).c_str()) + ", x " +
                          std::string(nb::str(dtype).c_str()) +
                          ": elements are moved, not converted")
                             .c_str());
  return nb::borrow(out);
}

Policy policy_of(nb::handle policy) {
  if (PyUnicode_Check(policy.ptr()) == 0)
    throw nb::type_error(
        ("policy is a text, not " + std::string(Py_TYPE(policy.ptr())->tp_name)).c_str());
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(policy.ptr(), &size);
  if (text != nullptr) return parse_policy({text, static_cast<std::size_t>(size)});
  PyErr_Clear();  // half of a pair of surrogates, which UTF-8 has not
  const nb::object escaped =
      nb::steal(PyUnicode_AsEncodedString(policy.ptr(), "ascii", "backslashreplace"));
  if (!escaped.is_valid()) throw nb::python_error();
  return parse_policy(PyBytes_AS_STRING(escaped.ptr()));
}

}  // namespace

void set_python_side(nb::object ndarray, nb::object empty, nb::object permute_other,
                     nb::object call_other) {
  PythonSide& side = python_side();
  side.ndarray = std::move(ndarray);
  side.empty = std::move(empty);
  side.permute_other = std::move(permute_other);
  side.call_other = std::move(call_other);
}

nb::object permute(Mover& mover, nb::handle x, nb::handle axes, nb::handle out, nb::handle stream,
                   nb::handle policy) {
  const Policy known = policy_of(policy);
  if (!is_numpy(x) || !(out.is_none() || is_numpy(out))) {
    if (stream.is_none())
      if (nb::object done = permute_exchanged(mover, x, axes, out, known); done.is_valid())
        return done;
    return called(python_side().permute_other, nb::find(mover), x, axes, out, stream, policy);
  }
  const nb::object dtype = movable_dtype(x);
  const Buffer in(x, false);
  const Axes order = order_of(axes, in.layout().extents.size());
  nb::object result = out.is_none()
                          ? made(tuple_of(permuted(in.layout().extents, order)), dtype, in.layout())
                          : given(out, dtype);
  const Buffer to(result, true);
  mover.move(in.layout(), to.layout(), order, nullptr, known);
  return result;
}

nb::object call(const PreparedPlan& plan, nb::handle x, nb::handle out, nb::handle stream) {
  if (!is_numpy(x) || !(out.is_none() || is_numpy(out))) {
    if (stream.is_none())
      if (nb::object done = call_exchanged(plan, x, out); done.is_valid()) return done;
    return called(python_side().call_other, nb::find(plan), x, out, stream);
  }
  const nb::object dtype = movable_dtype(x);
  const Buffer in(x, false);
  nb::object result =
      out.is_none() ? made(plan.python_shape(), dtype, in.layout()) : given(out, dtype);
  const Buffer to(result, true);
  plan.execute(in.layout(), to.layout(), nullptr);
  return result;
}

}  // namespace xpose::python
