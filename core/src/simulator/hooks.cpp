// The functions that gcc and clang call before every access in code compiled with
// -fsanitize=thread, and before an index past the bounds of an array with -fsanitize=bounds. Each
// notes the access of the CUDA thread that runs; outside of a kernel they do nothing.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "simulator/state.hpp"

namespace xpose::simulator {
namespace {

template <uint32_t Kind, unsigned Log2Bytes>
[[gnu::always_inline]] inline void on_access(const void* at, const void* site) {
  constexpr uintptr_t kBytes = uintptr_t{1} << Log2Bytes;
  if (hot.next == nullptr) return;
  const auto address = reinterpret_cast<uintptr_t>(at);
  if (__builtin_expect((address & (kBytes - 1)) == 0, 1)) {
    if (hot.regions[0].holds(address, kBytes) || hot.regions[1].holds(address, kBytes))
      return note(XPOSE_GLOBAL, Kind, Log2Bytes, site, address);
    if (hot.shared.holds(address, kBytes))
      return note(XPOSE_SHARED, Kind, Log2Bytes, site, address - hot.shared.begin);
  }
  note_unusual(address, kBytes, Kind, site, true);
}

void on_any(const void* at, uint64_t bytes, uint32_t kind, const void* site) {
  if (hot.next != nullptr && bytes != 0)
    note_unusual(reinterpret_cast<uintptr_t>(at), bytes, kind, site, false);
}

// How the compiler describes an array and an index to __ubsan_handle_out_of_bounds.
struct TypeDescriptor {
  uint16_t kind;  // 0: an integer
  uint16_t info;  // bit 0: signed; the rest: log2 of its bits
  char name[1];
};
struct OutOfBounds {
  const char* file;
  uint32_t line;
  uint32_t column;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

void on_out_of_bounds(const OutOfBounds& data, uintptr_t index, const void* site) {
  if (hot.next == nullptr) return;
  auto value = static_cast<int64_t>(index);
  const unsigned bits = 1u << (data.index->info >> 1);
  if ((data.index->info & 1) && bits < 64)
    value = static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
  char text[256];
  std::snprintf(text, sizeof text, "index %" PRId64 " is past the bounds of an array %s", value,
                data.array->name);
  give_up(0, site, text);  // the compiler tells of the index, not of its use
}

}  // namespace
}  // namespace xpose::simulator

using namespace xpose::simulator;

#define SITE __builtin_extract_return_addr(__builtin_return_address(0))

#define ACCESS(BYTES, LOG2)                                                             \
  void __tsan_read##BYTES(void* at) { on_access<XPOSE_LOAD, LOG2>(at, SITE); }          \
  void __tsan_write##BYTES(void* at) { on_access<XPOSE_STORE, LOG2>(at, SITE); }        \
  void __tsan_volatile_read##BYTES(void* at) { on_access<XPOSE_LOAD, LOG2>(at, SITE); } \
  void __tsan_volatile_write##BYTES(void* at) { on_access<XPOSE_STORE, LOG2>(at, SITE); }
#define UNALIGNED(BYTES)                                                                        \
  void __tsan_unaligned_read##BYTES(void* at) { on_any(at, BYTES, XPOSE_LOAD, SITE); }          \
  void __tsan_unaligned_write##BYTES(void* at) { on_any(at, BYTES, XPOSE_STORE, SITE); }        \
  void __tsan_unaligned_volatile_read##BYTES(void* at) { on_any(at, BYTES, XPOSE_LOAD, SITE); } \
  void __tsan_unaligned_volatile_write##BYTES(void* at) { on_any(at, BYTES, XPOSE_STORE, SITE); }

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the compiler's names
extern "C" {

ACCESS(1, 0)
ACCESS(2, 1)
ACCESS(4, 2)
ACCESS(8, 3)
ACCESS(16, 4)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __tsan_read_range(void* at, unsigned long bytes) { on_any(at, bytes, XPOSE_LOAD, SITE); }
void __tsan_write_range(void* at, unsigned long bytes) { on_any(at, bytes, XPOSE_STORE, SITE); }

// clang calls these in place of the functions of <string.h>.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  on_any(from, bytes, XPOSE_LOAD, SITE);
  on_any(to, bytes, XPOSE_STORE, SITE);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  on_any(from, bytes, XPOSE_LOAD, SITE);
  on_any(to, bytes, XPOSE_STORE, SITE);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  on_any(to, bytes, XPOSE_STORE, SITE);
  return std::memset(to, value, bytes);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

void __ubsan_handle_out_of_bounds(const OutOfBounds* data, uintptr_t index) {
  on_out_of_bounds(*data, index, SITE);
}
void __ubsan_handle_out_of_bounds_abort(const OutOfBounds* data, uintptr_t index) {
  on_out_of_bounds(*data, index, SITE);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
