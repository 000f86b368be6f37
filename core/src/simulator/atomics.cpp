// The functions that code compiled with -fsanitize=thread calls in place of atomic operations: such
// as guard the static variables of the SDK and of the standard library. One OS thread runs a
// kernel, but others may be in the same code, so they are atomic. They are not told to the
// observer: the words of the simulator have no atomics.
#include <cstdint>

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define ATOMICS(BITS, T)                                                                          \
  T __tsan_atomic##BITS##_load(const volatile T* at, int) {                                       \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                               \
  void __tsan_atomic##BITS##_store(volatile T* at, T value, int) {                                \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                               \
  T __tsan_atomic##BITS##_exchange(volatile T* at, T value, int) {                                \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_add(volatile T* at, T value, int) {                               \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* at, T value, int) {                               \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_and(volatile T* at, T value, int) {                               \
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_or(volatile T* at, T value, int) {                                \
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_xor(volatile T* at, T value, int) {                               \
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* at, T* expected, T value, int,    \
                                                    int) {                                        \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* at, T* expected, T value, int,      \
                                                  int) {                                          \
    return __atomic_compare_exchange_n(at, expected, value, true, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* at, T expected, T value, int, int) {   \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                              \
  }

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the compiler's names
extern "C" {

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
// NOLINTEND(bugprone-macro-parentheses)
