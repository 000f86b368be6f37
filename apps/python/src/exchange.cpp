#include "exchange.hpp"

#include <cstddef>
#include <utility>

#include "dlpack.hpp"

namespace xpose::python {
namespace {

constexpr std::uint32_t kFirstMinor = 3;  // of version 1, that has the functions
constexpr std::uint32_t kBitsOfByte = 8;

struct Exchange {
  nb::object type;
  nb::object is_plain;
  const dlpack::ExchangeApi* api = nullptr;  // null: none is set
  bool on_cuda = false;
};

// Never freed: the interpreter is gone when this library's destructors run.
Exchange& exchange() {
  static auto* const set = new Exchange;
  return *set;
}

// An array and what its library says of it.
struct Seen {
  dlpack::Tensor tensor;
  Layout layout;
};

Layout layout_of(const dlpack::Tensor& tensor) {
  Layout layout;
  layout.address = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  layout.element_bytes = tensor.bits * tensor.lanes / kBitsOfByte;
  if (tensor.device_type == dlpack::kCuda) layout.device = {DeviceKind::cuda, tensor.device_id};
  for (std::int32_t i = 0; i < tensor.ndim; ++i) {
    layout.extents.push(tensor.shape[i]);
    layout.strides.push(tensor.strides[i] * layout.element_bytes);
  }
  return layout;
}

bool is_served(const dlpack::Tensor& tensor) {
  const bool here = tensor.device_type == dlpack::kCpu ||
                    (tensor.device_type == dlpack::kCuda && exchange().on_cuda);
  return here && tensor.strides != nullptr && tensor.bits * tensor.lanes % kBitsOfByte == 0;
}

bool is_plain(nb::handle array) {
  const Exchange& known = exchange();
  if (reinterpret_cast<PyObject*>(Py_TYPE(array.ptr())) != known.type.ptr()) return false;
  const nb::object plain = nb::steal(PyObject_CallOneArg(known.is_plain.ptr(), array.ptr()));
  if (!plain.is_valid()) throw nb::python_error();
  return plain.ptr() == Py_True;
}

// The layout of a plain array. False where it goes another way; exceptions are found there again.
bool see(nb::handle array, Seen& seen) {
  if (exchange().api->look(array.ptr(), &seen.tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  if (!is_served(seen.tensor)) return false;
  seen.layout = layout_of(seen.tensor);
  return true;
}

// A new array of a shape, by the method of one of its type.
nb::object made(nb::handle like, const Axes& shape) {
  static const auto* const name = PyUnicode_InternFromString("new_empty");
  const nb::tuple extents = tuple_of(shape);
  PyObject* const arguments[] = {like.ptr(), extents.ptr()};
  nb::object array =
      nb::steal(PyObject_VectorcallMethod(const_cast<PyObject*>(name), arguments, 2, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  return array;
}

bool same_dtype(nb::handle a, nb::handle b) { return a.attr("dtype").is(b.attr("dtype")); }

// The array to write, `out` or a new one, with its layout; null where it goes another way.
std::pair<nb::object, Layout> target(nb::handle x, nb::handle out, const Axes& shape) {
  if (!out.is_none() && !(is_plain(out) && same_dtype(x, out))) return {};
  nb::object array = out.is_none() ? made(x, shape) : nb::borrow(out);
  Seen place;
  if (!see(array, place)) return {};
  return {std::move(array), place.layout};
}

// The current stream of the library. False where it does not tell.
bool find_stream(const dlpack::Tensor& tensor, void*& stream) {
  if (tensor.device_type != dlpack::kCuda) return true;
  if (exchange().api->current_stream(dlpack::kCuda, tensor.device_id, &stream) == 0) return true;
  PyErr_Clear();
  return false;
}

}  // namespace

void set_exchange(nb::object type, const nb::object& capsule, nb::object is_plain, bool on_cuda) {
  const auto* api = static_cast<const dlpack::ExchangeApi*>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (api == nullptr) throw nb::python_error();
  while (api != nullptr && api->major != dlpack::kMajorVersion) api = api->older;
  if (api == nullptr || api->minor < kFirstMinor || api->look == nullptr) return;
  exchange() = {std::move(type), std::move(is_plain), api, on_cuda};
}

nb::object permute_exchanged(Mover& mover, nb::handle x, nb::handle axes, nb::handle out,
                             Policy policy) {
  Seen seen;
  void* stream = nullptr;
  if (!is_plain(x) || !see(x, seen) || !find_stream(seen.tensor, stream)) return {};
  const Axes order = order_of(axes, seen.layout.extents.size());
  auto [result, to] = target(x, out, permuted(seen.layout.extents, order));
  if (result.is_valid()) mover.move(seen.layout, to, order, stream, policy);
  return std::move(result);
}

nb::object call_exchanged(const PreparedPlan& plan, nb::handle x, nb::handle out) {
  Seen seen;
  void* stream = nullptr;
  if (!is_plain(x) || !see(x, seen) || !find_stream(seen.tensor, stream)) return {};
  auto [result, to] = target(x, out, plan.shape());
  if (result.is_valid()) plan.execute(seen.layout, to, stream);
  return std::move(result);
}

}  // namespace xpose::python
