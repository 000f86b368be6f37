// Errors, devices, device memory and problems. Without a tag: [any thread], see xpose.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__)
#define XPOSE_API __attribute__((visibility("default")))  // exports a declaration
#else
#define XPOSE_API
#endif

// The version of these headers; version() is that of the loaded library.
#define XPOSE_VERSION "0.2.0"

namespace xpose {

// ---------------------------------------------------------------------------------------- errors

// The kind of a failure, for code that reacts to it.
enum class ErrorKind {
  invalid,      // the problem or the call is malformed
  no_strategy,  // no strategy serves the problem
  device,       // a device is missing or reported an error
  no_memory,    // host or device memory ran out
  wrong,        // every strategy for the problem failed verification
  failed,       // any other failure: files, processes, threads
};

// The one type that the library throws. what() is one line: the failure, its object, the reason and
// the remedy.
class XPOSE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }  // as constructed

 private:
  ErrorKind kind_;
};

// --------------------------------------------------------------------------------------- devices

// Where strategies run and buffers live.
enum class DeviceKind { host, cuda };

// One device of the machine. The default is the host.
struct Device {
  DeviceKind kind = DeviceKind::host;  // host memory, or a GPU's
  int ordinal = 0;                     // the CUDA runtime's number; 0 for the host
  bool operator==(const Device&) const = default;
};

// The figures of a device that a choice depends on.
struct DeviceInfo {
  Device device = {};                    // as functions take it
  std::string name = {};                 // the device's, or the processor's model name
  std::string id = {};                   // CUDA: "GPU-" and the UUID; host: "host"
  std::string driver = {};               // CUDA: the driver's version; host: ""
  std::uint32_t multiprocessors = 0;     // CUDA: multiprocessors; host: logical processors
  std::uint32_t compute_capability = 0;  // CUDA: 10 * major + minor; host: 0
  std::uint64_t cache_bytes = 0;         // of the last-level cache
  std::uint64_t memory_bytes = 0;        // of the whole memory, used or not
  bool operator==(const DeviceInfo&) const = default;
};

// The devices of this machine: the host first, then the CUDA devices by ordinal. The list is made
// once a process. [any thread]
XPOSE_API std::vector<DeviceInfo> devices();

// The reason why no CUDA device can be used ("no CUDA device", "built without CUDA", the driver's
// words). Empty where at least one can be used. [any thread]
XPOSE_API std::string cuda_unavailable_reason();

// The device that a text names: "host", "cuda" (the first one), "cuda:N", or "auto" (the first CUDA
// device, else the host). Throws Error invalid for another text, device where the machine lacks the
// device. [any thread]
XPOSE_API Device parse_device(std::string_view text);
// "host" or "cuda:N", as parse_device() takes it.
XPOSE_API std::string to_string(Device device);

// The bytes of a device's memory that are free now. On the host the limits of control groups
// count, and memory that the kernel would give up, such as cached files, is free. Throws Error
// device. [any thread]
XPOSE_API std::uint64_t free_memory(Device device);

// Memory of a device, for callers without an allocator of their own. The address is 256-byte
// aligned. Movable; the destructor frees it. [one thread at a time]
class XPOSE_API DeviceMemory {
 public:
  // Allocates `bytes` bytes with unspecified content. Throws Error no_memory or device.
  DeviceMemory(Device device, std::uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&&) noexcept;             // leaves the source without memory
  DeviceMemory& operator=(DeviceMemory&&) noexcept;  // frees the memory held before

  void* data() const;           // CUDA: a device pointer
  std::uint64_t bytes() const;  // as constructed
  // Copies `bytes` bytes from `host` to the start of the memory. Throws Error invalid where they do
  // not fit; device.
  void upload(const void* host, std::uint64_t bytes);
  // Waits for the device's work, then copies `bytes` bytes from the start of the memory to `host`.
  // Throws as upload() does.
  void download(void* host, std::uint64_t bytes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// -------------------------------------------------------------------------------------- problems

// A batch dimension: `extent` matrices, whose element 0 are the strides apart.
struct BatchDim {
  std::int64_t extent = 1;      // matrices; 0: the problem is empty
  std::int64_t in_stride = 0;   // elements from one input matrix to the next; 0: the same again
  std::int64_t out_stride = 0;  // elements from one output matrix to the next
  bool operator==(const BatchDim&) const = default;
};

// A transpose to do, in row-major terms:
//     out[b.out_stride + c * out_ld + r] = in[b.in_stride + r * in_ld + c]
// for r < rows, c < cols and every b over the batch dimensions. Elements are opaque bytes.
// A column-major caller swaps rows and cols.
//
//   // 64 matrices of 128 rows of 100 floats, each row padded to 112:
//   xpose::Problem p = xpose::matrix(128, 100, 4);
//   p.in_ld = 112;
//   p.batch = {{.extent = 64, .in_stride = 128 * 112, .out_stride = 100 * 128}};
//
// Leading dimensions and strides may be negative: such an axis lies backwards in its buffer, whose
// address is still that of element 0.
//
// The functions that take a problem throw Error invalid for negative extents, a leading dimension
// shorter than its row, output elements that overlap, and a span of more than 2^56 bytes.
struct Problem {
  std::uint32_t element_bytes = 4;  // 1 to 256
  std::int64_t rows = 0;            // of the input; 0: nothing to do
  std::int64_t cols = 0;            // of the input; 0: nothing to do
  std::int64_t in_ld = 0;   // leading dimension: elements from one input row to the next; 0: cols
  std::int64_t out_ld = 0;  // leading dimension: elements from one output row to the next; 0: rows
  std::vector<BatchDim> batch = {};  // in any order; empty: one matrix
  // The output is the input: rows == cols, in_ld == out_ld, and equal batch strides.
  bool in_place = false;  // strides are positive, elements have 1, 2, 4, 8, 16 or 16 * N bytes
  // A power of two that divides the address of element 0, in bytes; malloc gives 16. The plan's
  // buffers must keep it. Above 256 it counts as 256.
  std::uint32_t in_alignment = 16;
  std::uint32_t out_alignment = 16;  // likewise, of the output
  Device device = {};                // where both buffers live
  bool operator==(const Problem&) const = default;
};

// The reason why no problem has elements of `bytes` bytes; empty where one may: from 1 to 256.
// Strategies take elements of 1, 2, 4, 8 and 16 bytes, or of a multiple of 16 up to 256; others are
// moved as short runs of those.
XPOSE_API std::string element_size_refusal(std::uint64_t bytes);

// Whether a strategy takes elements of `bytes` bytes, by StrategyInfo::element_sizes of its card.
XPOSE_API bool serves_elements(std::uint32_t element_sizes, std::uint64_t bytes);

// A dense matrix: `rows` and `cols` of the input, `element_bytes` as in Problem.
XPOSE_API Problem matrix(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                         Device device = {});

// A dense array of the row-major `shape` (elements) whose axes are permuted as by NumPy's
// transpose: output axis i is input axis axes[i]. Any number of axes.
//
//   const std::int64_t shape[] = {32, 224, 224, 3};  // NHWC
//   const int axes[] = {0, 3, 1, 2};                 // to NCHW
//   engine.transpose(in, out, xpose::permutation(shape, axes, 4));
//
// Axes that stay together are fused, and unit axes dropped. Throws Error invalid where `axes` is no
// permutation, an extent is negative, or the size does not fit in 63 bits.
XPOSE_API Problem permutation(std::span<const std::int64_t> shape, std::span<const int> axes,
                              std::uint32_t element_bytes, Device device = {});

// permutation() for arrays that are not dense: in_strides[i] is that of input axis i,
// out_strides[i] that of output axis i, in elements. Strides of the input may be 0, where the axis
// repeats, or negative, where it lies backwards; those of the output may be negative. Throws Error
// invalid also where a list of strides has another length than `shape`.
//
//   const std::int64_t shape[] = {1000, 300}, in[] = {-300, 1}, out[] = {1000, 1};
//   const int axes[] = {1, 0};  // a[::-1].T; the input's address is that of its last row
//   engine.transpose(last_row, b, xpose::permutation(shape, axes, in, out, 4));
XPOSE_API Problem permutation(std::span<const std::int64_t> shape, std::span<const int> axes,
                              std::span<const std::int64_t> in_strides,
                              std::span<const std::int64_t> out_strides,
                              std::uint32_t element_bytes, Device device = {});

// Throws Error invalid, in words of the shape and the axes, where `problem` cannot be done: that of
// permutation() with these arguments, and in place.
XPOSE_API void check_in_place(const Problem& problem, std::span<const std::int64_t> shape,
                              std::span<const int> axes, std::span<const std::int64_t> in_strides,
                              std::span<const std::int64_t> out_strides);

// The problem with the alignments that the two addresses have, at most 256 bytes.
XPOSE_API Problem aligned_as(Problem problem, const void* in, const void* out);

// "4096x4096 of 4 bytes on cuda:0", with leading dimensions, batch, alignment and "in place" where
// they are not the default.
XPOSE_API std::string to_string(const Problem& problem);

}  // namespace xpose
