// The meaning of a kernel's address: the slow way, for accesses that are not aligned ones to input,
// output or dynamic shared memory.
#include <algorithm>
#include <cstdio>
#include <xpose/simulator/runtime.hpp>

#include "simulator/state.hpp"

namespace xpose::simulator {

Hot hot;
Memory memory;

namespace {

const char* name_of(uint32_t kind) { return kind == XPOSE_LOAD ? "load" : "store"; }

// "a 4-byte load 12 bytes behind the 2048 bytes of dynamic shared memory".
[[noreturn]] void out_of(const char* what, const Range& range, uintptr_t address, uint64_t bytes,
                         uint32_t kind, const void* site) {
  char where[64], text[256];
  const uint64_t offset = address - range.begin;
  if (address < range.begin)
    std::snprintf(where, sizeof where, "%llu bytes before",
                  static_cast<unsigned long long>(range.begin - address));
  else if (offset < range.bytes)
    std::snprintf(where, sizeof where, "at byte %llu of", static_cast<unsigned long long>(offset));
  else
    std::snprintf(where, sizeof where, "%llu bytes behind",
                  static_cast<unsigned long long>(offset - range.bytes));
  std::snprintf(text, sizeof text, "a %llu-byte %s %s the %llu bytes of %s",
                static_cast<unsigned long long>(bytes), name_of(kind), where,
                static_cast<unsigned long long>(range.bytes), what);
  give_up(kind, site, text);
}

Range range_of(const xpose_region& region) {
  return {reinterpret_cast<uintptr_t>(region.begin), region.bytes};
}

uint64_t distance(const Range& range, uintptr_t address) {
  if (address < range.begin) return range.begin - address;
  const uint64_t offset = address - range.begin;
  return offset < range.bytes ? 0 : offset - range.bytes + 1;
}

// Names the region that the address missed.
[[noreturn]] void out_of_every_region(uintptr_t address, uint64_t bytes, uint32_t kind,
                                      const void* site) {
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < memory.region_count; ++i)
    if (distance(range_of(memory.regions[i]), address) <
        distance(range_of(memory.regions[nearest]), address))
      nearest = i;
  if (memory.region_count == 0 || address < 4096) {
    char text[128];
    std::snprintf(text, sizeof text, "a %llu-byte %s at the address %#llx",
                  static_cast<unsigned long long>(bytes), name_of(kind),
                  static_cast<unsigned long long>(address));
    give_up(kind, site, text);
  }
  char what[64];
  std::snprintf(what, sizeof what, "memory region %u", nearest);
  out_of(what, range_of(memory.regions[nearest]), address, bytes, kind, site);
}

// Notes the naturally aligned pieces of an access to [address, address + bytes), which is told as
// beginning at told. An access that the source makes aligned must be so.
void note_pieces(uint32_t space, uintptr_t address, uint64_t told, uint64_t bytes, uint32_t kind,
                 const void* site, bool aligned) {
  if (aligned && (address & (bytes - 1)) != 0) {
    char text[128];
    std::snprintf(text, sizeof text, "a %u-byte %s at an address that is no multiple of %u",
                  static_cast<unsigned>(bytes), name_of(kind), static_cast<unsigned>(bytes));
    give_up(0, site, text);
  }
  while (bytes != 0) {
    unsigned log2 = 4;
    while ((address & ((1u << log2) - 1)) != 0 || (uint64_t{1} << log2) > bytes) --log2;
    note(space, kind, log2, site, told);
    address += 1u << log2;
    told += 1u << log2;
    bytes -= 1u << log2;
  }
}

}  // namespace

void note_unusual(uintptr_t address, uint64_t bytes, uint32_t kind, const void* site,
                  bool aligned) {
  if (memory.stacks.holds(address, bytes)) return;
  for (uint32_t i = 0; i < memory.region_count; ++i)
    if (range_of(memory.regions[i]).holds(address, bytes))
      return note_pieces(XPOSE_GLOBAL, address, address, bytes, kind, site, aligned);
  if (hot.shared.holds(address, bytes))
    return note_pieces(XPOSE_SHARED, address, address - hot.shared.begin, bytes, kind, site,
                       aligned);
  const auto shared = reinterpret_cast<uintptr_t>(dynamic_shared);
  if (address + bytes > shared - kSharedGuard && address < shared + kMaxSharedBytes + kSharedGuard)
    out_of("dynamic shared memory", hot.shared, address, bytes, kind, site);
  if (memory.static_shared.holds(address, bytes)) {
    const uintptr_t base = memory.static_shared.begin & ~uintptr_t{127};
    return note_pieces(XPOSE_SHARED, address, kStaticOffset + (address - base), bytes, kind, site,
                       aligned);
  }
  if (memory.image.holds(address, bytes) || memory.parameters.holds(address, bytes)) return;
  out_of_every_region(address, bytes, kind, site);
}

}  // namespace xpose::simulator
