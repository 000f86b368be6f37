#include "device/host_cache.hpp"

#include <cstdint>

#include "threads/parallel.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace xpose {

#if defined(__x86_64__)

namespace {

constexpr std::int64_t kLine = 64;

[[gnu::target("clflushopt")]] void drop(std::byte* first, const std::byte* last) {
  for (; first < last; first += kLine) _mm_clflushopt(first);
  _mm_sfence();
}

// Not by __builtin_cpu_supports(): clang does not know the name.
bool has_clflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 23U & 1U) != 0;
}

}  // namespace

bool drop_from_caches(std::span<const std::byte> bytes) {
  static const bool can_drop = has_clflushopt();
  if (!can_drop) return false;
  // The instruction takes any address of a line, and writes nothing that is not there already.
  auto* const data = const_cast<std::byte*>(bytes.data());
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) % kLine);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::int64_t lines = size == 0 ? 0 : (past + size + kLine - 1) / kLine;
  in_parallel(lines, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    drop(data - past + begin * kLine, data - past + end * kLine);
  });
  return true;
}

#else

bool drop_from_caches(std::span<const std::byte>) { return false; }

#endif

}  // namespace xpose
