// Stacks to run CUDA threads on, and the switch between two of them.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/state.hpp"

// Saves the registers that a function must preserve on the running stack and its end in *from, and
// goes on where another stack was left, whose end is to.
extern "C" void xpose_simulator_switch(void** from, void* to);

namespace xpose::simulator {

inline constexpr std::size_t kMaxThreads = 1024;  // of a block

// Memory for kMaxThreads stacks, each above a page that nothing may touch. Nothing is used before
// it is needed.
class Stacks {
 public:
  Stacks();
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // Throws std::bad_alloc.
  void reserve();

  Range range() const;

  // The context to switch to so that main(), which must not return, runs on the given stack.
  void* prepare(std::size_t index, void (*main)()) const;

 private:
  void* memory_;
  std::size_t stride_;
};

}  // namespace xpose::simulator
