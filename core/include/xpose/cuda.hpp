// xpose SDK for authors of CUDA plugins, all that they include: elements as opaque words, one grid
// of tiles over a problem of any size (detail/cuda_tiling.hpp), and device errors as exceptions. A
// strategy is a kernel template, a Tiling and one call of launch_tiles:
//
//   void launch(const Launch& launch) const {
//     with_element(problem_.element_bytes, [&]<class E>(E) {
//       launch_tiles("my_kernel", my_kernel<E>, problem_, launch, tiling_);
//     });
//   }
//
// xpose_add_plugin compiles the source a second time, for the host (XPOSE_SIMULATOR), where the
// kernels run on the simulator, which sees every access. For that, kernels are launched through
// launch_kernel or launch_tiles rather than <<<>>>, and take dynamic shared memory from
// shared_memory<T>() rather than from an extern array.
//
// Everything but launch_kernel, allow_shared_bytes, check_cuda and shared_memory also compiles
// without CUDA.
#pragma once

#ifdef XPOSE_SIMULATOR
#include <xpose/simulator/cuda_words.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <xpose/detail/cuda_tiling.hpp>
#include <xpose/plugin.hpp>

namespace xpose::plugin {

// An element as the hardware moves it: Bytes opaque bytes at addresses that are multiples of Align.
// Align < Bytes takes several accesses, each of Align bytes.
template <int Bytes, int Align = Bytes>
struct alignas(Align) Element {
  using Word = std::conditional_t<
      Align == 1, uint8_t,
      std::conditional_t<Align == 2, uint16_t, std::conditional_t<Align == 4, uint32_t, uint64_t>>>;
  Word words[Bytes / sizeof(Word)];  // the bytes, in order

#ifdef XPOSE_SIMULATOR
  // Word by word where that is how nvcc moves it: all loads, then all stores.
  Element() = default;
  Element(const Element&) = default;
  Element& operator=(const Element&) = default;
  XPOSE_SIMULATOR_INLINE Element(const Element& other) requires(Align < Bytes) { copy(other); }
  XPOSE_SIMULATOR_INLINE Element& operator=(const Element& other) requires(Align < Bytes) {
    copy(other);
    return *this;
  }

 private:
  XPOSE_SIMULATOR_INLINE void copy(const Element& other) {
    constexpr int kWords = Bytes / sizeof(Word);
    Word moved[kWords];
    for (int i = 0; i < kWords; ++i) moved[i] = other.words[i];
    for (int i = 0; i < kWords; ++i) words[i] = moved[i];
  }
#endif
};

// Calls body(std::integral_constant<int64_t, value>{}) for a value that is one of Values: a number
// of run time becomes a template argument. Throws std::out_of_range for any other value.
//
//   with_constant<32, 64>(config["tile"], [&](auto tile) { launch<tile()>(); });
template <int64_t... Values, class Body>
void with_constant(int64_t value, const Body& body) {
  const bool found =
      ((value == Values && (body(std::integral_constant<int64_t, Values>{}), true)) || ...);
  if (!found) throw std::out_of_range(std::to_string(value) + " is not among the compiled values");
}

// Calls body(Element<bytes>{}): body is compiled for every element size up to 16 bytes. Throws
// std::out_of_range for any other size.
template <class Body>
void with_element(uint32_t bytes, const Body& body) {
  with_constant<1, 2, 4, 8, 16>(bytes, [&](auto size) { body(Element<size()>{}); });
}

// Calls body(Element<bytes, min(bytes, alignment)>{}), for kernels that serve any alignment.
// `bytes` is at most 16, and `alignment` a power of two in bytes. Throws std::out_of_range else.
template <class Body>
void with_element(uint32_t bytes, uint32_t alignment, const Body& body) {
  with_constant<1, 2, 4, 8, 16>(bytes, [&](auto size) {
    with_constant<1, 2, 4, 8, 16>(std::min(bytes, alignment), [&](auto align) {
      if constexpr (align() <= size()) body(Element<size(), align()>{});
    });
  });
}

// A kernel that transposes a part of a problem: rows x cols elements of the input, for each of
// gridDim.z matrices. Leading dimensions and the strides from one matrix to the next are in
// elements. `more` are arguments of the kernel's own.
template <class E, class... More>
using TileKernel = void (*)(const E* in, E* out, int rows, int cols, int64_t in_ld, int64_t out_ld,
                            int64_t in_stride, int64_t out_stride, More... more);

// Allows a kernel `bytes` of dynamic shared memory on the current device, which it needs above
// kMaxSharedBytes; below, nothing is done. For a plan's constructor, so that launches need nothing
// more. `name` is for errors. Throws as launch_kernel does.
template <class... Parameters>
void allow_shared_bytes(const char* name, void (*kernel)(Parameters...), uint64_t bytes);

// Enqueues one kernel on `stream` (Launch::stream) with `shared_bytes` of dynamic shared memory a
// block. `grid` is in blocks, `block` in threads. Throws DeviceError("kernel NAME: reason") where
// the device refuses the launch, std::bad_alloc where its memory ran out.
template <class... Parameters>
void launch_kernel(const char* name, void (*kernel)(Parameters...), Shape grid, Shape block,
                   uint64_t shared_bytes, void* stream,
                   std::type_identity_t<Parameters>... arguments);

// Whether L2 still holds the blocks of 256 bytes that load_ahead brought when the next column of
// tiles reads the rest of them. `row_bytes` is the width of a tile, in bytes of an input row. The
// answer is yes up to 8 MiB of input in a column of tiles. Beyond, the prefetch costs more than it
// gains.
inline bool stays_in_l2(const Problem& problem, int64_t row_bytes) {
  return problem.rows <= (int64_t{8} << 20) / row_bytes;
}

// Enqueues a kernel over the whole problem, in as many launches as the grid's limits ask for. E is
// the problem's element, `more` are the kernel's further arguments. Throws as launch_kernel does.
template <class E, class... More>
void launch_tiles(const char* name, TileKernel<E, More...> kernel, const Problem& problem,
                  const Launch& launch, const Tiling& tiling, std::type_identity_t<More>... more) {
  for_each_part<E>(problem, launch, tiling, [&](const Part<E>& part) {
    launch_kernel(name, kernel, part.grid, tiling.block(), tiling.shared_bytes, launch.stream,
                  part.in, part.out, part.rows, part.cols, problem.in_ld, problem.out_ld,
                  problem.batch[0].in_stride, problem.batch[0].out_stride, more...);
  });
}

#if defined(__CUDACC__) || defined(XPOSE_SIMULATOR)

// Throws DeviceError("WHAT: reason") unless `status` is success, and std::bad_alloc where memory
// ran out.
inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (status != cudaSuccess)
    throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}

#endif

#if defined(XPOSE_SIMULATOR)

template <class... Parameters>
void allow_shared_bytes(const char*, void (*)(Parameters...), uint64_t) {}

#ifdef XPOSE_NO_CUDA

// No plan is made that could launch, so that compilers leave the kernels out.
template <class... Parameters>
void launch_kernel(const char*, void (*)(Parameters...), Shape, Shape, uint64_t, void*,
                   std::type_identity_t<Parameters>...) {}

#else

template <class... Parameters>
void launch_kernel(const char* name, void (*kernel)(Parameters...), Shape grid, Shape block,
                   uint64_t shared_bytes, void*, std::type_identity_t<Parameters>... arguments) {
  const auto thread = [=]() XPOSE_SIMULATOR_UNOBSERVED { kernel(arguments...); };
  const auto run = [](const void* of)
                       XPOSE_SIMULATOR_UNOBSERVED { (*static_cast<decltype(thread)*>(of))(); };
  simulator::launch(name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, run,
                    &thread, sizeof thread);
}

#endif

// In a kernel: the block's dynamic shared memory, 16-byte aligned.
template <class T>
T* shared_memory() {
  return reinterpret_cast<T*>(simulator::dynamic_shared);
}

template <bool Ahead, class T>
T load_ahead(const unsigned char* from) {
  return *reinterpret_cast<const T*>(from);
}

#elif defined(__CUDACC__)

template <class... Parameters>
void allow_shared_bytes(const char* name, void (*kernel)(Parameters...), uint64_t bytes) {
  if (bytes <= kMaxSharedBytes) return;
  if (const cudaError_t status = cudaFuncSetAttribute(
          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
      status != cudaSuccess)
    check_cuda(status, ("shared memory of the kernel " + std::string(name)).c_str());
}

template <class... Parameters>
void launch_kernel(const char* name, void (*kernel)(Parameters...), Shape grid, Shape block,
                   uint64_t shared_bytes, void* stream,
                   std::type_identity_t<Parameters>... arguments) {
  kernel<<<grid, block, shared_bytes, static_cast<cudaStream_t>(stream)>>>(arguments...);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    check_cuda(status, ("kernel " + std::string(name)).c_str());
}

// In a kernel: the block's dynamic shared memory, 16-byte aligned.
template <class T>
__device__ __forceinline__ T* shared_memory() {
  alignas(16) extern __shared__ unsigned char xpose_dynamic_shared_memory[];
  return reinterpret_cast<T*>(xpose_dynamic_shared_memory);
}

// In a kernel: loads a T of 4, 8 or 16 bytes, aligned to its size, from memory that no thread
// writes during the kernel. With Ahead, L2 fetches the whole block of 256 bytes around it, which is
// how memory is read best. It pays where other threads read the rest of the block before it leaves
// L2 (PTX ISA, ld.level::prefetch_size).
template <bool Ahead, class T>
__device__ __forceinline__ T load_ahead(const unsigned char* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (!Ahead) return *reinterpret_cast<const T*>(from);
  unsigned word[sizeof(T) / 4];
  if constexpr (sizeof(T) == 16)
    asm volatile("ld.global.nc.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "l"(from));
  else if constexpr (sizeof(T) == 8)
    asm volatile("ld.global.nc.L2::256B.v2.u32 {%0, %1}, [%2];"
                 : "=r"(word[0]), "=r"(word[1])
                 : "l"(from));
  else
    asm volatile("ld.global.nc.L2::256B.u32 %0, [%1];" : "=r"(word[0]) : "l"(from));
  T loaded;
  memcpy(&loaded, word, sizeof(T));
  return loaded;
}

#endif

}  // namespace xpose::plugin
