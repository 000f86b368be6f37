// The state of the running kernel for the hooks, and the record of an access. One kernel runs at a
// time, by one OS thread, so all of this is plain data.
#pragma once

#include <xpose/plugin.h>

#include <cstddef>
#include <cstdint>

namespace xpose::simulator {

// Bytes that are free to be accessed: [begin, begin + bytes).
struct Range {
  uintptr_t begin = 0;
  uint64_t bytes = 0;

  bool holds(uintptr_t address, uint64_t count) const {
    const uint64_t offset = address - begin;
    return offset < bytes && count <= bytes - offset;
  }
};

// One access of one lane. The key holds site, space, kind and size: lanes that executed the same
// instruction have the same key.
struct Entry {
  uint64_t key;
  uint64_t address;  // shared memory: the offset that the observer is told
};

// Code addresses have 48 bits.
inline constexpr unsigned kSiteBits = 48;

inline uint64_t key_of(const void* site, uint32_t space, uint32_t kind, unsigned log2_bytes) {
  return reinterpret_cast<uintptr_t>(site) | uint64_t{space} << kSiteBits |
         uint64_t{kind} << (kSiteBits + 4) | uint64_t{log2_bytes} << (kSiteBits + 8);
}
inline const void* site_of(uint64_t key) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was one
  return reinterpret_cast<const void*>(key & ((uint64_t{1} << kSiteBits) - 1));
}
inline uint32_t space_of(uint64_t key) { return key >> kSiteBits & 0xf; }
inline uint32_t kind_of(uint64_t key) { return key >> (kSiteBits + 4) & 0xf; }
inline uint32_t bytes_of(uint64_t key) { return 1u << (key >> (kSiteBits + 8)); }

// The notes of one lane since its warp's were last told.
struct Log {
  Entry* begin = nullptr;
  Entry* next = nullptr;
  Entry* end = nullptr;
};

// The first data that a hook reads. Without a running thread, log is empty and a hook does nothing.
struct Hot {
  Entry* next = nullptr;
  Entry* end = nullptr;
  Range regions[2];  // the first two, which are nearly always input and output
  Range shared;      // dynamic
};
extern Hot hot;

// The rest of what an address may be.
struct Memory {
  const xpose_region* regions = nullptr;
  uint32_t region_count = 0;
  Range stacks;         // of all fibers
  Range parameters;     // of the kernel
  Range image;          // of the plugin: code, constants, the simulator's own data
  Range static_shared;  // the plugin's thread-local storage
};
extern Memory memory;

// Offsets told of static shared memory begin here, behind any dynamic one.
inline constexpr uint64_t kStaticOffset = 1 << 20;

// Shared memory as one array: what lies before and behind the block's own part must not be touched.
inline constexpr std::size_t kSharedGuard = 1024;

// Notes an access that is none of the usual ones: ignores, splits or gives the launch up.
void note_unusual(uintptr_t address, uint64_t bytes, uint32_t kind, const void* site, bool aligned);

// Makes room in the log of the lane that runs.
void grow_log();

inline void note(uint32_t space, uint32_t kind, unsigned log2_bytes, const void* site,
                 uint64_t address) {
  *hot.next++ = {key_of(site, space, kind, log2_bytes), address};
  if (__builtin_expect(hot.next == hot.end, 0)) grow_log();
}

// Gives the launch up for an access out of bounds, for good: the thread that runs is never resumed.
// access: XPOSE_LOAD or XPOSE_STORE where one went outside, else 0.
[[noreturn]] void give_up(uint32_t access, const void* site, const char* text);

}  // namespace xpose::simulator
