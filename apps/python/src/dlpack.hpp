// The structs of DLPack 1.3, which arrays travel in (dmlc.github.io/dlpack), by the names of that
// contract.
#pragma once

#include <cstdint>

namespace xpose::python::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

enum TypeCode : std::uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kComplex = 5, kBool = 6 };

constexpr std::uint32_t kMajorVersion = 1;
constexpr std::uint64_t kReadOnly = 1;  // of ManagedTensorVersioned::flags

struct Tensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;  // in elements; null: dense
  std::uint64_t byte_offset;
};

// Of a capsule "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void* manager_context;
  void (*deleter)(ManagedTensor*);
};

// Of a capsule "dltensor_versioned".
struct ManagedTensorVersioned {
  std::uint32_t major, minor;
  void* manager_context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

// Of a capsule "dlpack_exchange_api": the functions of a library, which live as long as the
// process. All return 0, or -1 with an exception of Python.
struct ExchangeApi {
  std::uint32_t major, minor;
  const ExchangeApi* older;
  void (*allocate)();  // not called here: a library's own call makes arrays that it can resize
  void (*export_tensor)();
  void (*import_tensor)();
  int (*look)(void* array, Tensor* tensor);  // may be null; valid as long as the array
  int (*current_stream)(DeviceType type, std::int32_t ordinal, void** stream);
};

}  // namespace xpose::python::dlpack
