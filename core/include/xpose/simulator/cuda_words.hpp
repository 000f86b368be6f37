// The words of CUDA C++ for a host compiler. xpose_add_plugin compiles every CUDA source a second
// time with them: the simulator runs the kernels on the host and sees every access. No author
// includes this header. A source is plain CUDA that launches through launch_kernel and takes
// dynamic shared memory from shared_memory<T>(). XPOSE_SIMULATOR is defined in this compilation.
// Code without words here, such as inline PTX, stands behind #ifndef XPOSE_SIMULATOR, and launch
// throws Unsupported in its place.
#pragma once

#ifndef __CUDACC__

#include <cstring>
#include <xpose/simulator/bits.hpp>
#include <xpose/simulator/runtime.hpp>
#include <xpose/simulator/vectors.hpp>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// Static shared memory is the thread-local storage of the plugin: blocks run one after the other.
// Every array begins at bank 0.
#define __shared__ __attribute__((aligned(128))) thread_local
#ifndef __clang__
#define __builtin_assume(condition) static_cast<void>(0)
#endif

#pragma GCC visibility push(hidden)

// Constant for as long as a kernel's thread runs, which keeps reading them from being observed.
XPOSE_SIMULATOR_API extern const uint3 threadIdx __asm__("xpose_simulator_thread_idx");
XPOSE_SIMULATOR_API extern const uint3 blockIdx __asm__("xpose_simulator_block_idx");
XPOSE_SIMULATOR_API extern const uint3 blockDim __asm__("xpose_simulator_block_dim");
XPOSE_SIMULATOR_API extern const uint3 gridDim __asm__("xpose_simulator_grid_dim");
inline constexpr int warpSize = 32;

// Inlined, so that its accesses have addresses of the kernel, whose line the debug information
// tells.
#define XPOSE_SIMULATOR_INLINE inline __attribute__((always_inline, artificial))
// The place in the source at which a word is used, as parameters with defaults.
#define XPOSE_SIMULATOR_HERE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

XPOSE_SIMULATOR_API void __syncthreads(XPOSE_SIMULATOR_HERE) __asm__("xpose_simulator_syncthreads");
XPOSE_SIMULATOR_API int __syncthreads_count(int predicate, XPOSE_SIMULATOR_HERE) __asm__(
    "xpose_simulator_syncthreads_count");
XPOSE_SIMULATOR_API int __syncthreads_and(int predicate, XPOSE_SIMULATOR_HERE) __asm__(
    "xpose_simulator_syncthreads_and");
XPOSE_SIMULATOR_API int __syncthreads_or(int predicate, XPOSE_SIMULATOR_HERE) __asm__(
    "xpose_simulator_syncthreads_or");
XPOSE_SIMULATOR_API void __syncwarp(unsigned mask = 0xffffffffu,
                                    XPOSE_SIMULATOR_HERE) __asm__("xpose_simulator_syncwarp");

#pragma GCC visibility pop

inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}

inline unsigned __activemask() { return xpose::simulator::active_lanes(); }
XPOSE_SIMULATOR_INLINE unsigned __ballot_sync(unsigned mask, int predicate, XPOSE_SIMULATOR_HERE) {
  return xpose::simulator::ballot(mask, predicate != 0, "__ballot_sync", file, line);
}
XPOSE_SIMULATOR_INLINE int __any_sync(unsigned mask, int predicate, XPOSE_SIMULATOR_HERE) {
  return xpose::simulator::ballot(mask, predicate != 0, "__any_sync", file, line) != 0;
}
XPOSE_SIMULATOR_INLINE int __all_sync(unsigned mask, int predicate, XPOSE_SIMULATOR_HERE) {
  return xpose::simulator::ballot(mask, predicate == 0, "__all_sync", file, line) == 0;
}

namespace xpose::simulator::detail {
template <class T>
XPOSE_SIMULATOR_INLINE T shuffle(unsigned mask, T value, unsigned lane, const char* what,
                                 const char* file, unsigned line) {
  static_assert(sizeof(T) <= 16, "a shuffle moves at most 16 bytes a lane");
  exchange(mask, &value, sizeof value, lane, what, file, line);
  return value;
}
}  // namespace xpose::simulator::detail

// Shuffles. `width` is a power of two: the warp falls into groups of so many lanes, and no lane
// reads a value of another group.
template <class T>
XPOSE_SIMULATOR_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32,
                                     XPOSE_SIMULATOR_HERE) {
  const unsigned self = xpose::simulator::lane(), size = static_cast<unsigned>(width);
  const unsigned from = (self & ~(size - 1)) | (static_cast<unsigned>(source) & (size - 1));
  return xpose::simulator::detail::shuffle(mask, value, from, "__shfl_sync", file, line);
}
template <class T>
XPOSE_SIMULATOR_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                        XPOSE_SIMULATOR_HERE) {
  const unsigned self = xpose::simulator::lane(), size = static_cast<unsigned>(width);
  const unsigned from = (self & (size - 1)) < delta ? self : self - delta;
  return xpose::simulator::detail::shuffle(mask, value, from, "__shfl_up_sync", file, line);
}
template <class T>
XPOSE_SIMULATOR_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                          XPOSE_SIMULATOR_HERE) {
  const unsigned self = xpose::simulator::lane(), size = static_cast<unsigned>(width);
  const unsigned from = delta >= size - (self & (size - 1)) ? self : self + delta;
  return xpose::simulator::detail::shuffle(mask, value, from, "__shfl_down_sync", file, line);
}
template <class T>
XPOSE_SIMULATOR_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                                         XPOSE_SIMULATOR_HERE) {
  const unsigned self = xpose::simulator::lane(), size = static_cast<unsigned>(width);
  const unsigned other = self ^ static_cast<unsigned>(lanes);
  // The hardware lets a lane read earlier groups, but not later ones.
  const unsigned from = other > (self | (size - 1)) ? self : other;
  return xpose::simulator::detail::shuffle(mask, value, from, "__shfl_xor_sync", file, line);
}

// Loads and stores with a hint for the caches; the simulator has none. Loads are macros, so that
// the access has the line of the kernel.
#define __ldg(...) (*(__VA_ARGS__))
#define __ldcs(...) (*(__VA_ARGS__))
#define __ldca(...) (*(__VA_ARGS__))
#define __ldcg(...) (*(__VA_ARGS__))
#define __ldlu(...) (*(__VA_ARGS__))
#define __ldcv(...) (*(__VA_ARGS__))
template <class T>
XPOSE_SIMULATOR_INLINE void __stcs(T* to, T value) {
  *to = value;
}
template <class T>
XPOSE_SIMULATOR_INLINE void __stcg(T* to, T value) {
  *to = value;
}
template <class T>
XPOSE_SIMULATOR_INLINE void __stwt(T* to, T value) {
  *to = value;
}
template <class T>
XPOSE_SIMULATOR_INLINE void __stwb(T* to, T value) {
  *to = value;
}

// The calls of the CUDA runtime that a plugin makes. Copies run at once, on the host.
using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3, cudaMemcpyDefault = 4 };

inline const char* cudaGetErrorString(cudaError_t) { return "an error of the simulator"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }

inline cudaError_t cudaMemcpyAsync(void* out, const void* in, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t = nullptr) {
  xpose::simulator::copy(out, bytes, in, bytes, bytes, 1);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy2DAsync(void* out, std::size_t out_pitch, const void* in,
                                     std::size_t in_pitch, std::size_t row_bytes, std::size_t rows,
                                     cudaMemcpyKind, cudaStream_t = nullptr) {
  xpose::simulator::copy(out, out_pitch, in, in_pitch, row_bytes, rows);
  return cudaSuccess;
}

#endif  // __CUDACC__
