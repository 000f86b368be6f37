#include "exchange.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "dlpack.hpp"

namespace xpose::python {
namespace {

constexpr std::uint32_t kFirstMinor = 3;  // of version 1, that has the functions
constexpr std::uint32_t kBitsOfByte = 8;

struct Exchange {
  const dlpack::ExchangeApi* api = nullptr;     // null: none is set
  nb::object type, is_neg, is_conj, new_empty;  // the type, and methods of it
  std::vector<nb::object> followers;
  nb::object level, on_host, on_cuda, current_device;
  bool serves_cuda = false;
};

// Never freed: the interpreter is gone when this library's destructors run.
Exchange& exchange() {
  static auto* const set = new Exchange;
  return *set;
}

struct Names {
  nb::object requires_grad = nb::steal(PyUnicode_InternFromString("requires_grad"));
  nb::object dtype = nb::steal(PyUnicode_InternFromString("dtype"));
  nb::object level = nb::steal(PyUnicode_InternFromString("_current_level"));
};
const Names& names() {
  static const auto* const all = new Names;
  return *all;
}

// Of an operation of Python, which throws its exception.
nb::object checked(PyObject* result) {
  nb::object value = nb::steal(result);
  if (!value.is_valid()) throw nb::python_error();
  return value;
}

bool is_true(const nb::object& value) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

template <class... Arguments>
nb::object called(const nb::object& function, const Arguments&... arguments) {
  PyObject* const all[] = {arguments.ptr()...};
  return checked(PyObject_Vectorcall(function.ptr(), all, sizeof...(arguments), nullptr));
}

// Whether a transform, a mode or a forward gradient follows the calls of this thread.
bool is_followed() {
  const Exchange& known = exchange();
  for (const nb::object& follower : known.followers)
    if (is_true(checked(PyObject_CallNoArgs(follower.ptr())))) return true;
  PyObject* const level = PyDict_GetItemWithError(known.level.ptr(), names().level.ptr());
  return level == nullptr || PyLong_AsLong(level) >= 0;
}

// Whether memory and type are all that there is to an array. Numbers that are not complex have no
// conjugate.
bool is_plain(nb::handle array, const dlpack::Tensor& tensor) {
  const Exchange& known = exchange();
  return !is_true(checked(PyObject_GetAttr(array.ptr(), names().requires_grad.ptr()))) &&
         !is_true(called(known.is_neg, array)) &&
         (tensor.code != dlpack::kComplex || !is_true(called(known.is_conj, array)));
}

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
                    (tensor.device_type == dlpack::kCuda && exchange().serves_cuda);
  return here && tensor.strides != nullptr && tensor.bits * tensor.lanes % kBitsOfByte == 0;
}

// Address and layout of an array, by its library. False where it goes another way; exceptions are
// found there again.
bool see(nb::handle array, dlpack::Tensor& tensor) {
  if (exchange().api->look(array.ptr(), &tensor) == 0) return is_served(tensor);
  PyErr_Clear();
  return false;
}

bool is_of_type(nb::handle array) {
  return reinterpret_cast<PyObject*>(Py_TYPE(array.ptr())) == exchange().type.ptr();
}

bool see_plain(nb::handle array, dlpack::Tensor& tensor) {
  return see(array, tensor) && is_plain(array, tensor);
}

// The current stream of the array's device, which is the thread's. False where it does not tell, or
// where another is current: launches would change that.
bool find_stream(const dlpack::Tensor& tensor, void*& stream) {
  if (tensor.device_type != dlpack::kCuda) return true;
  const Exchange& known = exchange();
  if (!known.current_device.is_none() &&
      PyLong_AsLong(checked(PyObject_CallNoArgs(known.current_device.ptr())).ptr()) !=
          tensor.device_id)
    return false;
  if (known.api->current_stream(dlpack::kCuda, tensor.device_id, &stream) == 0) return true;
  PyErr_Clear();
  return false;
}

// The input of a call, where it goes this way.
bool see_input(nb::handle x, dlpack::Tensor& tensor, void*& stream) {
  return is_of_type(x) && !is_followed() && see_plain(x, tensor) && find_stream(tensor, stream);
}

nb::object dtype_of(nb::handle array) {
  return checked(PyObject_GetAttr(array.ptr(), names().dtype.ptr()));
}

// A new array in C order, like another but for its shape.
nb::object made(nb::handle like, const dlpack::Tensor& tensor, const nb::tuple& shape,
                const nb::tuple& strides) {
  const Exchange& known = exchange();
  const nb::object& maker = tensor.device_type == dlpack::kCuda ? known.on_cuda : known.on_host;
  if (maker.is_none()) return called(known.new_empty, like, shape);
  return called(maker, shape, strides, dtype_of(like));
}

// A caller's array to write. False where it goes another way.
bool see_output(nb::handle x, nb::handle out, dlpack::Tensor& tensor) {
  return is_of_type(out) && see_plain(out, tensor) && dtype_of(x).is(dtype_of(out));
}

// The newest functions of a capsule that are known here; null where it has others.
const dlpack::ExchangeApi* api_of(nb::handle capsule) {
  const auto* api = static_cast<const dlpack::ExchangeApi*>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (api == nullptr) throw nb::python_error();
  while (api != nullptr && api->major != dlpack::kMajorVersion) api = api->older;
  const bool is_known = api != nullptr && api->minor >= kFirstMinor && api->look != nullptr;
  return is_known ? api : nullptr;
}

void set_exchange(nb::object type, nb::handle capsule, nb::handle followers, nb::object level,
                  nb::object on_host, nb::object on_cuda, nb::object current_device,
                  bool serves_cuda) {
  Exchange known;
  known.api = api_of(capsule);
  if (known.api == nullptr) return;
  known.is_neg = type.attr("is_neg");
  known.is_conj = type.attr("is_conj");
  known.new_empty = type.attr("new_empty");
  for (const nb::handle follower : followers) known.followers.push_back(nb::borrow(follower));
  known.type = std::move(type);
  known.level = std::move(level);
  known.on_host = std::move(on_host);
  known.on_cuda = std::move(on_cuda);
  known.current_device = std::move(current_device);
  known.serves_cuda = serves_cuda;
  exchange() = std::move(known);
}

}  // namespace

void define_exchange(nb::module_& m) {
  using namespace nb::literals;
  m.def("set_exchange", &set_exchange, "type"_a, "capsule"_a, "followers"_a, "level"_a,
        "on_host"_a.none(), "on_cuda"_a.none(), "current_device"_a.none(), "serves_cuda"_a);
}

nb::object permute_exchanged(Mover& mover, nb::handle x, nb::handle axes, nb::handle out,
                             Policy policy) {
  dlpack::Tensor from, to;
  void* stream = nullptr;
  if (!see_input(x, from, stream)) return {};
  const Layout in = layout_of(from);  // what `from` points to is the library's
  const Axes order = order_of(axes, in.extents.size());
  nb::object result = nb::borrow(out);
  if (out.is_none()) {
    const Axes shape = permuted(in.extents, order);
    result = made(x, from, tuple_of(shape), tuple_of(strides_of_new(shape)));
    if (!see(result, to)) return {};
  } else if (!see_output(x, out, to)) {
    return {};
  }
  mover.move(in, layout_of(to), order, stream, policy);
  return result;
}

nb::object call_exchanged(const PreparedPlan& plan, nb::handle x, nb::handle out) {
  dlpack::Tensor from, to;
  void* stream = nullptr;
  if (!see_input(x, from, stream)) return {};
  const Layout in = layout_of(from);  // what `from` points to is the library's
  nb::object result = nb::borrow(out);
  if (out.is_none()) {
    result = made(x, from, plan.python_shape(), plan.strides_of_new());
    if (!see(result, to)) return {};
  } else if (!see_output(x, out, to)) {
    return {};
  }
  plan.execute(in, layout_of(to), stream);
  return result;
}

}  // namespace xpose::python
