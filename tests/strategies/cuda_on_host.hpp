// The words of CUDA that the plugins use, for a host compiler: a kernel runs at once, every thread
// of a block is a fiber, and the block's barrier throws unless all of them arrive. Include before
// any kernel header.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <xpose/cuda.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __shared__

inline xpose::plugin::Shape blockIdx, blockDim, threadIdx;

namespace xpose::kernels {
// A block's dynamic shared memory, and behind it a zone that nothing may touch.
inline constexpr std::size_t kSharedGuard = 256;
alignas(16) inline unsigned char shared_memory[plugin::kMaxSharedBytes + kSharedGuard];
}  // namespace xpose::kernels

namespace cuda_on_host {

// Runs blocks one after the other. Within a block one thread runs at a time, until it ends or
// reaches the barrier; so a thread that reads what another one stages, with no barrier between,
// reads poison.
class Device {
 public:
  static Device& the() {
    static Device device;
    return device;
  }

  // Runs body once for each thread of every block.
  void run(xpose::plugin::Shape grid, xpose::plugin::Shape block, std::size_t shared_bytes,
           const std::function<void()>& body) {
    using xpose::kernels::kSharedGuard;
    unsigned char* const shared = xpose::kernels::shared_memory;
    body_ = body;
    blockDim = block;
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
      for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
          std::memset(shared, kPoison, shared_bytes + kSharedGuard);
          run_block();
          for (std::size_t i = 0; i < kSharedGuard; ++i)
            if (shared[shared_bytes + i] != kPoison)
              throw std::logic_error("a block wrote behind its shared memory");
        }
  }

  // __syncthreads() of the thread that runs.
  void barrier() {
    running_->state = State::waiting;
    suspend();
  }

 private:
  static constexpr unsigned char kPoison = 0xA5;
  static constexpr std::size_t kStackBytes = 32 * 1024;

  enum class State { runnable, waiting, ended };

  // A stack to switch to: where to go on, and what AddressSanitizer must know of it.
  struct Context {
    jmp_buf resume_at;
    void* fake_stack = nullptr;
    const void* stack = nullptr;
    std::size_t stack_bytes = 0;
  };

  struct Fiber : Context {
    ucontext_t start;
    std::unique_ptr<unsigned char[]> memory{new unsigned char[kStackBytes]};
    bool started = false;
    State state = State::runnable;
  };

  void run_block() {
    const std::size_t threads = std::size_t{blockDim.x} * blockDim.y * blockDim.z;
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    for (std::size_t i = 0; i < threads; ++i) fibers_[i]->state = State::runnable;
    for (std::size_t waiting = threads, ended = 0; waiting != 0;) {
      waiting = 0;
      for (std::size_t i = 0; i < threads; ++i) {
        threadIdx = {static_cast<std::uint32_t>(i % blockDim.x),
                     static_cast<std::uint32_t>(i / blockDim.x % blockDim.y),
                     static_cast<std::uint32_t>(i / blockDim.x / blockDim.y)};
        resume(*fibers_[i]);
        (fibers_[i]->state == State::waiting ? waiting : ended) += 1;
      }
      if (waiting != 0 && ended != 0) {
        for (const auto& fiber : fibers_) fiber->started = false;  // what they were at is lost
        throw std::logic_error(std::to_string(waiting) + " of " + std::to_string(threads) +
                               " threads reached the barrier");
      }
    }
  }

  // Runs a thread until it ends or waits.
  void resume(Fiber& fiber) {
    running_ = &fiber;
    fiber.state = State::runnable;
    if (!fiber.started) {
      getcontext(&fiber.start);
      fiber.start.uc_stack.ss_sp = fiber.memory.get();
      fiber.start.uc_stack.ss_size = kStackBytes;
      fiber.start.uc_link = nullptr;
      makecontext(&fiber.start, &enter, 0);
      fiber.fake_stack = nullptr;
      fiber.stack = fiber.memory.get();
      fiber.stack_bytes = kStackBytes;
    }
    leave(scheduler_, fiber);
    if (_setjmp(scheduler_.resume_at) == 0) {
      if (fiber.started) _longjmp(fiber.resume_at, 1);
      fiber.started = true;
      setcontext(&fiber.start);
    }
    arrive(scheduler_, nullptr);
  }

  // Goes back to the scheduler until the thread that runs is resumed.
  void suspend() {
    Fiber& self = *running_;
    leave(self, scheduler_);
    if (_setjmp(self.resume_at) == 0) _longjmp(scheduler_.resume_at, 1);
    arrive(self, &scheduler_);
  }

  // The life of a fiber: one thread of one block after the other.
  static void enter() {
    Device& device = the();
    arrive(*device.running_, &device.scheduler_);
    for (;;) {
      device.body_();
      device.running_->state = State::ended;
      device.suspend();
    }
  }

#if defined(__SANITIZE_ADDRESS__)
  static void leave(Context& from, const Context& to) {
    __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
  }
  static void arrive(const Context& to, Context* from) {
    __sanitizer_finish_switch_fiber(to.fake_stack, from ? &from->stack : nullptr,
                                    from ? &from->stack_bytes : nullptr);
  }
#else
  static void leave(Context&, const Context&) {}
  static void arrive(const Context&, Context*) {}
#endif

  std::function<void()> body_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Context scheduler_;
  Fiber* running_ = nullptr;
};

}  // namespace cuda_on_host

inline void __syncthreads() { cuda_on_host::Device::the().barrier(); }

namespace xpose::plugin {

template <class... Parameters>
void launch_kernel(const char*, void (*kernel)(Parameters...), Shape grid, Shape block,
                   uint64_t shared_bytes, void*, std::type_identity_t<Parameters>... arguments) {
  cuda_on_host::Device::the().run(grid, block, shared_bytes, [&] { kernel(arguments...); });
}

}  // namespace xpose::plugin

// The two calls of the CUDA runtime that the plugins make.
using cudaStream_t = void*;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice };

inline cudaError_t cudaMemcpyAsync(void* out, const void* in, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(out, in, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy2DAsync(void* out, std::size_t out_pitch, const void* in,
                                     std::size_t in_pitch, std::size_t row_bytes, std::size_t rows,
                                     cudaMemcpyKind, cudaStream_t) {
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(static_cast<char*>(out) + r * out_pitch,
                static_cast<const char*>(in) + r * in_pitch, row_bytes);
  return cudaSuccess;
}

namespace xpose::plugin {
inline void check_cuda(cudaError_t, const char*) {}
}  // namespace xpose::plugin
