// The few functions of the CUDA driver that the runtime lacks: opened at run time; cuda.h is
// included by cuda_driver.cpp alone. All throw Denial.
#pragma once

#include <cstdint>
#include <string>

namespace xpose {

// The needs of a kernel on a multiprocessor.
struct KernelNeeds {
  std::uint32_t registers = 0;                  // of a thread
  std::uint64_t static_shared_bytes = 0;        // of a block
  std::uint32_t blocks_per_multiprocessor = 0;  // that fit at once
  std::uint32_t most_threads = 0;               // that a multiprocessor holds, of any kernel
};

// The primary context of a device, which the runtime uses too, current to this thread until the
// end of the scope.
class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  void* handle() const { return context_; }  // a CUcontext
  int device() const { return device_; }     // a CUdevice
  void synchronize() const;                  // until all work of the context is done

  // Of `function` (a CUfunction, or the CUkernel that a launch may name instead) on this device, in
  // blocks of so many threads and bytes of dynamic shared memory. `name` is for a Denial.
  KernelNeeds needs_of(void* function, const std::string& name, std::uint32_t threads,
                       std::uint64_t dynamic_shared_bytes) const;

 private:
  int device_ = 0;
  void* context_ = nullptr;
};

// The begin of the allocation of device memory that an address lies in.
void* allocation_of(void* memory);

// A cudaStream_t whose kernels run on one half of the multiprocessors of a device: the same half
// for all such streams of the process, which a green context has. The priority is the runtime's.
// [any thread]
void* make_half_stream(int ordinal, int priority);

}  // namespace xpose
