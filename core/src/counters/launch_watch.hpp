// Which kernels a launch starts: CUPTI's callbacks at the driver's calls. Throws Denial.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "counters/launched_kernel.hpp"

namespace xpose {

// The process's one place at CUPTI's callbacks, held as long as the object lives, so that no other
// profiler starts meanwhile.
class LaunchWatch {
 public:
  LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;
  ~LaunchWatch();

  struct Kernel {
    LaunchedKernel kernel;     // name, grid, block and dynamic shared memory
    void* function = nullptr;  // of the driver
  };
  // The kernels that the calling thread launches in `launch`, in order; not those of graphs.
  std::vector<Kernel> watch(const std::function<void()>& launch);

 private:
  struct Seen;
  std::unique_ptr<Seen> seen_;
  void* handle_ = nullptr;
};

}  // namespace xpose
