#include "failing_allocator.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

// The C library's own functions under the names that interposing leaves it.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace xpose {
namespace {

struct Thread {
  bool armed = false;
  Failing failing = Failing::once;
  std::uint64_t nth = 0;
  std::uint64_t calls = 0;
};
// In the program's own block of thread storage: reaching it allocates nothing.
thread_local constinit Thread thread;

constinit std::atomic<std::int64_t> live = 0;

bool fails() {
  if (!thread.armed) return false;
  ++thread.calls;
  const bool due =
      thread.failing == Failing::once ? thread.calls == thread.nth : thread.calls >= thread.nth;
  if (due) errno = ENOMEM;
  return due;
}

void* counted(void* memory) {
  if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

FailAllocation::FailAllocation(std::uint64_t nth, Failing failing) {
  thread = {.armed = true, .failing = failing, .nth = nth};
}
FailAllocation::~FailAllocation() { thread.armed = false; }
bool FailAllocation::reached() const { return thread.calls >= thread.nth; }
std::uint64_t FailAllocation::calls() const { return thread.calls; }

std::int64_t live_allocations() { return live.load(std::memory_order_relaxed); }

}  // namespace xpose

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
extern "C" {

void* malloc(std::size_t bytes) {
  if (xpose::fails()) return nullptr;
  return xpose::counted(__libc_malloc(bytes));
}

void* calloc(std::size_t count, std::size_t bytes) {
  if (xpose::fails()) return nullptr;
  return xpose::counted(__libc_calloc(count, bytes));
}

void* realloc(void* memory, std::size_t bytes) {
  if (xpose::fails()) return nullptr;
  void* const moved = __libc_realloc(memory, bytes);
  if (memory == nullptr) return xpose::counted(moved);
  if (moved == nullptr && bytes == 0) xpose::live.fetch_sub(1, std::memory_order_relaxed);
  return moved;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (xpose::fails()) return nullptr;
  return xpose::counted(__libc_memalign(alignment, bytes));
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  if (xpose::fails()) return nullptr;
  return xpose::counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  if (xpose::fails()) return ENOMEM;
  void* const memory = xpose::counted(__libc_memalign(alignment, bytes));
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void* memory) {
  if (memory == nullptr) return;
  xpose::live.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(memory);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
