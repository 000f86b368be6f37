#include "arrays.hpp"

#include <string>

#include "dlpack.hpp"

namespace xpose::python {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

std::int64_t integer(nb::handle value) {
  int beyond = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &beyond);
  if (beyond != 0) refuse("a number of more than 64 bits is no axis, extent or stride");
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

// Also of what has __index__, as NumPy's integers.
std::int64_t index(nb::handle value) {
  if (PyLong_CheckExact(value.ptr())) return integer(value);
  if (PyIndex_Check(value.ptr()) == 0)
    throw nb::type_error(("axes, extents and strides are integers, not " +
                          std::string(Py_TYPE(value.ptr())->tp_name))
                             .c_str());
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  return integer(number);
}

// False of NumPy's arrays without an axis, which claim to be sequences.
bool has_items(nb::handle value) {
  if (PySequence_Check(value.ptr()) == 0) return false;
  if (PySequence_Size(value.ptr()) >= 0) return true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return false;
}

std::size_t normal_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count)
    refuse("axis " + std::to_string(axis) + " is out of bounds for an array of " +
           std::to_string(rank) + (rank == 1 ? " axis" : " axes"));
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

const dlpack::Tensor& tensor_of(const nb::object& capsule, bool& writable) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    const auto* managed = static_cast<const dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->major != dlpack::kMajorVersion)
      throw nb::buffer_error(
          "the array's DLPack version is not 1.x; update xpose, or pass "
          "another kind of array");
    writable = (managed->flags & dlpack::kReadOnly) == 0;
    return managed->tensor;
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
    writable = true;
    return static_cast<const dlpack::ManagedTensor*>(
               PyCapsule_GetPointer(capsule.ptr(), "dltensor"))
        ->tensor;
  }
  throw nb::type_error("__dlpack__ returned no DLPack capsule, or one that is used up");
}

// The beginning of NumPy's names; null where it has none.
const char* kind_of(std::uint8_t code) {
  switch (code) {
    case dlpack::kInt:
      return "int";
    case dlpack::kUInt:
      return "uint";
    case dlpack::kFloat:
      return "float";
    case dlpack::kComplex:
      return "complex";
    default:
      return nullptr;
  }
}

bool is_on_cuda(std::int32_t device_type) {
  switch (device_type) {
    case dlpack::kCpu:
    case dlpack::kCudaHost:
      return false;
    case dlpack::kCuda:
    case dlpack::kCudaManaged:
      return true;
    default:
      throw nb::type_error("the array is on a device that is neither CPU nor CUDA; copy it first");
  }
}

}  // namespace

Buffer::Buffer(nb::handle array, bool writable) {
  if (PyObject_GetBuffer(array.ptr(), &view_,
                         writable ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES) != 0) {
    if (!writable) throw nb::python_error();
    PyErr_Clear();
    refuse("out is read-only; pass an array that may be written");
  }
  layout_.address = view_.buf;
  layout_.element_bytes = view_.itemsize;
  layout_.writable = view_.readonly == 0;
  for (int i = 0; i < view_.ndim; ++i) {
    layout_.extents.push(view_.shape[i]);
    layout_.strides.push(view_.strides[i]);
  }
}

Buffer::~Buffer() { PyBuffer_Release(&view_); }

Axes numbers(nb::handle sequence) {
  Axes result;
  const nb::object items = nb::steal(
      PySequence_Fast(sequence.ptr(), "axes, extents and strides are sequences of integers"));
  if (!items.is_valid()) throw nb::python_error();
  // An __index__ may change the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    result.push(index(nb::borrow(PySequence_Fast_GET_ITEM(items.ptr(), i))));
  return result;
}

void* pointer(nb::handle address) {
  void* const result = PyLong_AsVoidPtr(address.ptr());
  if (result == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return result;
}

Layout layout_of(const nb::tuple& stated) {
  if (stated.size() < 8) throw nb::type_error("not the description of an array");
  Layout layout;
  layout.address = pointer(stated[0]);
  layout.extents = numbers(stated[1]);
  layout.strides = numbers(stated[2]);
  if (layout.strides.size() != layout.extents.size())
    refuse("the array's strides are not as many as its axes");
  const std::int64_t unit = integer(stated[3]);
  layout.element_bytes = integer(stated[4]);
  for (std::size_t i = 0; i < layout.strides.size(); ++i)
    if (__builtin_mul_overflow(layout.strides[i], unit, &layout.strides[i]) &&
        layout.extents[i] > 1 && !layout.is_empty())
      refuse("the array states that elements lie more than 2^63 bytes apart");
  layout.device = {stated[5].ptr() == Py_True ? DeviceKind::cuda : DeviceKind::host,
                   static_cast<int>(integer(stated[6]))};
  layout.writable = stated[7].ptr() == Py_True;
  return layout;
}

Axes order_of(nb::handle axes, std::size_t rank) {
  Axes order;
  if (axes.is_none()) {
    for (std::size_t i = rank; i-- > 0;) order.push(static_cast<std::int64_t>(i));
    return order;
  }
  if (PyIndex_Check(axes.ptr()) != 0 && !has_items(axes))
    order.push(index(axes));
  else if (PySequence_Check(axes.ptr()) != 0)  // a set has no order
    order = numbers(axes);
  else
    throw nb::type_error(
        ("axes is a sequence of integers, not " + std::string(Py_TYPE(axes.ptr())->tp_name))
            .c_str());
  if (order.size() != rank)
    refuse("axes names " + std::to_string(order.size()) + " axes, the array has " +
           std::to_string(rank));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = normal_axis(order[i], rank);
    if ((seen >> axis & 1) != 0)
      refuse("axes names axis " + std::to_string(axis) + " twice; each stands once");
    seen |= std::uint64_t{1} << axis;
    order[i] = static_cast<std::int64_t>(axis);
  }
  return order;
}

nb::tuple tuple_of(const Axes& axes) {
  const nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(axes.size())));
  if (!result.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    PyObject* const number = PyLong_FromLongLong(axes[i]);
    if (number == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), number);
  }
  return nb::borrow<nb::tuple>(result);
}

namespace {

// A tuple as layout_of() takes it, which ends with the capsule.
nb::tuple of_capsule(const nb::object& capsule) {
  bool writable = true;
  const dlpack::Tensor& tensor = tensor_of(capsule, writable);
  const std::uint32_t bits = std::uint32_t{tensor.bits} * tensor.lanes;
  constexpr std::uint32_t kBitsOfByte = 8;
  if (bits % kBitsOfByte != 0)
    throw nb::type_error("the array has elements of less than a byte, which are not moved");
  Axes extents, strides;
  for (std::int32_t i = 0; i < tensor.ndim; ++i) extents.push(tensor.shape[i]);
  if (tensor.strides == nullptr)
    strides = dense(extents, 1, {}).strides;
  else
    for (std::int32_t i = 0; i < tensor.ndim; ++i) strides.push(tensor.strides[i]);
  const bool on_cuda = is_on_cuda(tensor.device_type);
  const std::uint32_t bytes = bits / kBitsOfByte;
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset,
                        tuple_of(extents), tuple_of(strides), bytes, bytes, on_cuda,
                        on_cuda ? tensor.device_id : 0, writable, capsule);
}

// The name of its elements' type as NumPy has it, such as "float64"; None where NumPy has none.
nb::object dtype_of_capsule(const nb::object& capsule) {
  bool writable = true;
  const dlpack::Tensor& tensor = tensor_of(capsule, writable);
  if (tensor.code == dlpack::kBool) return nb::str("bool");
  const char* const kind = kind_of(tensor.code);
  if (kind == nullptr || tensor.lanes != 1) return nb::none();
  return nb::str((kind + std::to_string(tensor.bits)).c_str());
}

}  // namespace

void define_arrays(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "permuted_shape",
      [](nb::handle shape, nb::handle axes) {
        const Axes extents = numbers(shape);
        return tuple_of(permuted(extents, order_of(axes, extents.size())));
      },
      "shape"_a, "axes"_a.none());
  m.def(
      "order_of", [](nb::handle axes, std::size_t rank) { return tuple_of(order_of(axes, rank)); },
      "axes"_a.none(), "rank"_a);
  m.def("of_capsule", &of_capsule, "capsule"_a.none());
  m.def("dtype_of_capsule", &dtype_of_capsule, "capsule"_a.none());
}

}  // namespace xpose::python
