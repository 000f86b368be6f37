// What callers state and what can go wrong: errors, devices, device memory, problems.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__)
#define XPOSE_API __attribute__((visibility("default")))
#else
#define XPOSE_API
#endif

#define XPOSE_VERSION "0.1.0"

namespace xpose {

// ---------------------------------------------------------------------------------------- errors

enum class ErrorKind {
  invalid,      // the problem or a call is malformed
  no_strategy,  // no eligible strategy for the problem
  device,       // a device is missing or reported an error
  no_memory,    // host or device memory ran out
  wrong,        // no strategy for the problem passed verification
  failed,       // anything else
};

// Everything the library throws: what() says what failed, on what, and what to do.
class XPOSE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// --------------------------------------------------------------------------------------- devices

enum class DeviceKind { host, cuda };

struct Device {
  DeviceKind kind = DeviceKind::host;
  int ordinal = 0;  // CUDA device number; 0 for the host
  bool operator==(const Device&) const = default;
};

struct DeviceInfo {
  Device device;
  std::string name;                  // "NVIDIA H200", or the processor's model name
  std::string id;                    // CUDA: "GPU-" and the UUID; host: "host"
  std::string driver;                // CUDA: the driver's version; host: ""
  std::uint32_t multiprocessors;     // CUDA: multiprocessors; host: usable logical processors
  std::uint32_t compute_capability;  // CUDA: 10 * major + minor; host: 0
  std::uint64_t cache_bytes;         // last-level cache
  std::uint64_t memory_bytes;        // total
  bool operator==(const DeviceInfo&) const = default;
};

// The devices of this machine, the host first.
XPOSE_API std::vector<DeviceInfo> devices();

// Why no CUDA device can be used ("no CUDA device", "built without CUDA", the driver's words), or
// an empty string where at least one can.
XPOSE_API std::string cuda_unavailable_reason();

// "host", "cuda", "cuda:N" or "auto" (the first CUDA device, else the host).
// Throws Error: invalid for other text, device for a device that the machine lacks.
XPOSE_API Device parse_device(std::string_view text);
XPOSE_API std::string to_string(Device device);  // "host", "cuda:0"

// Bytes of a device's memory that can be had now. On the host the limits of control groups count,
// and what the kernel would give up for it, such as cached files, is free. Throws Error device.
XPOSE_API std::uint64_t free_memory(Device device);

// Memory of a device, for callers that have none of their own. Host memory is 256-byte aligned.
// Throws Error: no_memory, device. [one thread at a time]
class XPOSE_API DeviceMemory {
 public:
  DeviceMemory(Device device, std::uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&&) noexcept;
  DeviceMemory& operator=(DeviceMemory&&) noexcept;

  void* data() const;
  std::uint64_t bytes() const;
  void upload(const void* host, std::uint64_t bytes);    // to the start of the memory
  void download(void* host, std::uint64_t bytes) const;  // waits for the device first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// -------------------------------------------------------------------------------------- problems

// A batch dimension; strides in elements.
struct BatchDim {
  std::int64_t extent = 1;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
  bool operator==(const BatchDim&) const = default;
};

// What to transpose, in row-major terms:
//     out[b.out_stride + c * out_ld + r] = in[b.in_stride + r * in_ld + c]
// for r < rows, c < cols and every b over the batch dimensions. Elements are opaque bytes.
// A column-major caller swaps rows and cols.
struct Problem {
  std::uint32_t element_bytes = 4;  // 1, 2, 4, 8, 16, or a multiple of 16 up to 256
  std::int64_t rows = 0;            // of the input; 0 is a valid no-op
  std::int64_t cols = 0;
  std::int64_t in_ld = 0;   // elements from one input row to the next; 0: dense, cols
  std::int64_t out_ld = 0;  // elements from one output row to the next; 0: dense, rows
  std::vector<BatchDim> batch = {};
  // The output is the input: rows == cols, in_ld == out_ld, and equal batch strides.
  bool in_place = false;
  std::uint32_t in_alignment = 16;   // bytes that are known to divide the input's address
  std::uint32_t out_alignment = 16;  // (the output's); a power of two. malloc gives 16.
  Device device = {};                // where both buffers live
  bool operator==(const Problem&) const = default;
};

// Why no problem has elements of so many bytes, with a remedy; empty where one may. Sizes are 1, 2,
// 4, 8, 16, and the multiples of 16 up to 256: such fat elements are what a permutation moves that
// keeps the innermost axis.
XPOSE_API std::string element_size_refusal(std::uint64_t bytes);

// Whether a strategy whose card has these element_sizes takes elements of so many bytes.
XPOSE_API bool serves_elements(std::uint32_t element_sizes, std::uint64_t bytes);

// A dense rows x cols matrix.
XPOSE_API Problem matrix(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                         Device device = {});

// A dense N-dimensional array of the given row-major shape whose axes are permuted as by NumPy's
// transpose: output axis i is input axis axes[i]. Axes that stay together are fused and unit axes
// dropped. An innermost axis that stays innermost is taken into the element.
// Throws Error invalid where that element is not of a size that a problem may have, or where more
// than 6 batch dimensions remain.
XPOSE_API Problem permutation(std::span<const std::int64_t> shape, std::span<const int> axes,
                              std::uint32_t element_bytes, Device device = {});

// The problem with its alignments read off the two addresses.
XPOSE_API Problem aligned_as(Problem problem, const void* in, const void* out);

// "4096x4096 of 4 bytes on cuda:0", with leading dimensions, batch and alignment where they are
// not the default.
XPOSE_API std::string to_string(const Problem& problem);

}  // namespace xpose
