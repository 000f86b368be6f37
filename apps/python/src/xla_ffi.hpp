// The part of XLA's foreign function interface that a handler of one input and one output uses. It
// is a C interface of structs that begin with their sizes; XLA serves each version for a year or
// more. Declared here so that neither building nor importing this package needs JAX.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xpose::python::xla {

constexpr int kMajorVersion = 0;
constexpr int kMinorVersion = 3;

enum class ErrorCode : int {
  invalid_argument = 3,
  resource_exhausted = 8,
  unimplemented = 12,
  internal = 13,
};
enum class Stage : int { execute = 3 };
enum class ExtensionType : int { metadata = 1 };

struct Failure;  // XLA's own
struct Context;

struct Extension {
  std::size_t struct_size;
  ExtensionType type;
  Extension* next;
};

struct Version {
  std::size_t struct_size;
  Extension* extensions;
  int major_version;
  int minor_version;
};

struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct MakeFailure {
  std::size_t struct_size;
  Extension* extensions;
  const char* message;
  ErrorCode code;
};

struct GetStream {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  void* stream;
};

struct GetOrdinal {
  std::size_t struct_size;
  Extension* extensions;
  Context* context;
  std::int32_t ordinal;
};

struct DestroyFailure {
  std::size_t struct_size;
  Extension* extensions;
  Failure* failure;
};

using Unused = void (*)();
struct Api {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Failure* (*make_failure)(MakeFailure*);
  Unused get_message;
  void (*destroy_failure)(DestroyFailure*);
  Unused register_handler;
  Failure* (*get_stream)(GetStream*);
  Unused unused[12];  // types, states, memory, threads, futures, run identifiers
  Failure* (*get_ordinal)(GetOrdinal*);
};

struct Buffer {
  std::size_t struct_size;
  Extension* extensions;
  int type;
  void* data;
  std::int64_t rank;
  std::int64_t* extents;
};

struct Buffers {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t size;
  int* types;
  void** buffers;
};

struct Text {
  const char* begin;
  std::size_t size;
};
struct Scalar {
  int type;
  void* value;
};
struct Array {
  int type;
  std::size_t size;
  void* values;
};

struct Attributes {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t size;
  int* types;
  Text** names;
  void** values;
};

struct CallFrame {
  std::size_t struct_size;
  Extension* extensions;
  const Api* api;
  Context* context;
  Stage stage;
  Buffers inputs;
  Buffers outputs;
  Attributes attributes;
};

}  // namespace xpose::python::xla
