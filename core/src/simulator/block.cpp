#include "simulator/block.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <xpose/simulator/runtime.hpp>
#include <xpose/simulator/vectors.hpp>

extern "C" {
uint3 xpose_simulator_thread_idx, xpose_simulator_block_idx, xpose_simulator_block_dim,
    xpose_simulator_grid_dim;
}

namespace xpose::simulator {

Device device;

namespace {

constexpr unsigned char kPoison = 0xA5;  // what a block finds in its shared memory

alignas(1024) unsigned char shared_memory[kSharedGuard + kMaxSharedBytes + kSharedGuard];

}  // namespace

extern unsigned char* const dynamic_shared = shared_memory + kSharedGuard;

void give_up(uint32_t access, const void* site, const char* text) {
  device.give_up(access, site, text);
}

void grow_log() { device.grow_log(); }

void Device::run(const Kernel& kernel, const xpose_observer& observer) {
  kernel_ = &kernel;
  observer_ = &observer;
  threads_ = kernel.block[0] * kernel.block[1] * kernel.block[2];
  stacks_.reserve();
  log_.reserve();
  thread_.resize(threads_);
  index_.resize(threads_);
  const uint32_t width = kernel.block[0], height = kernel.block[1];
  for (uint32_t i = 0; i < threads_; ++i)
    index_[i] = {i % width, i / width % height, i / width / height};
  if (fresh_stack_.empty()) reset();
  memory.stacks = stacks_.range();
  memory.parameters = {reinterpret_cast<uintptr_t>(kernel.arguments), kernel.argument_bytes};
  hot.shared = {reinterpret_cast<uintptr_t>(dynamic_shared), kernel.shared_bytes};

  xpose_kernel told = {sizeof told, 0, kernel.name, {}, {}, kernel.shared_bytes};
  std::memcpy(told.grid, kernel.grid, sizeof told.grid);
  std::memcpy(told.block, kernel.block, sizeof told.block);
  observer.kernel(observer.context, &told);

  xpose_simulator_grid_dim = {kernel.grid[0], kernel.grid[1], kernel.grid[2]};
  xpose_simulator_block_dim = {kernel.block[0], kernel.block[1], kernel.block[2]};
  uint64_t block = 0;
  for (uint32_t z = 0; z < kernel.grid[2]; ++z)
    for (uint32_t y = 0; y < kernel.grid[1]; ++y)
      for (uint32_t x = 0; x < kernel.grid[0]; ++x) {
        xpose_simulator_block_idx = {x, y, z};
        run_block(block++);
      }
}

// All stacks are free again, and what ran on them is lost.
void Device::reset() {
  fresh_stack_.resize(kMaxThreads);
  free_fibers_.resize(kMaxThreads);
  for (uint32_t i = 0; i < kMaxThreads; ++i) {
    fresh_stack_[i] = stacks_.prepare(i, &main);
    free_fibers_[i] = static_cast<uint32_t>(kMaxThreads) - 1 - i;
  }
  log_.clear();
}

void Device::run_block(uint64_t block) {
  block_ = block;
  observer_->block(observer_->context, block);
  std::memset(dynamic_shared, kPoison, kernel_->shared_bytes);
  for (Thread& thread : thread_) thread.state = State::fresh;
  const uint32_t warps = (threads_ + 31) / 32;
  for (;;) {
    for (uint32_t warp = 0; warp < warps; ++warp) run_warp(warp);
    bool waiting = false;
    for (const Thread& thread : thread_) waiting |= thread.state == State::waiting;
    if (!waiting) return;
    pass_barrier();
  }
}

uint32_t Device::warp_end(uint32_t warp) const {
  return threads_ - warp * 32 < 32 ? threads_ : warp * 32 + 32;
}

// Runs a warp until each of its threads has returned or waits for the block.
void Device::run_warp(uint32_t warp) {
  warp_end_ = warp_end(warp);
  do {
    for (uint32_t i = warp * 32; i < warp_end_; ++i)
      if (thread_[i].state == State::fresh || thread_[i].state == State::released) {
        resume(i);
        if (faulted_ || thrown_) end_fault(warp);
      }
    tell_notes(warp);
  } while (release_collectives(warp));
}

void Device::tell_notes(uint32_t warp) { log_.tell(*observer_, warp); }

// The launch is over: a thread made a fault, or threw.
void Device::end_fault(uint32_t warp) {
  tell_notes(warp);
  reset();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  faulted_ = false;
  fault_.size = sizeof fault_;
  fault_.block = block_;
  fault_.text = text_;
  observer_->fault(observer_->context, &fault_);
  throw std::runtime_error(text_);
}

// Makes the thread the one that hooks and words speak of.
void Device::start(uint32_t thread) {
  running_ = thread;
  thread_[thread].state = State::running;
  xpose_simulator_thread_idx = index_[thread];
  const Log& log = log_.lane(thread & 31);
  hot.next = log.next;
  hot.end = log.end;
}

// Runs a thread, and those of its warp behind it that it leaves its stack to.
void Device::resume(uint32_t thread) {
  const bool fresh = thread_[thread].state == State::fresh;
  start(thread);
  if (fresh) {
    fiber_ = free_fibers_.back();
    free_fibers_.pop_back();
    xpose_simulator_switch(&scheduler_, fresh_stack_[fiber_]);
  } else {
    fiber_ = thread_[thread].fiber;
    xpose_simulator_switch(&scheduler_, thread_[thread].stack);
  }
}

// The life of a fiber: one thread after the other.
void Device::main() {
  Device& self = device;
  for (;;) {
    try {
      self.kernel_->thread(self.kernel_->arguments);
    } catch (...) {
      hot.next = nullptr;
      self.thrown_ = std::current_exception();
    }
    if (hot.next != nullptr) self.log_.lane(self.lane()).next = hot.next;
    self.thread_[self.running_].state = State::ended;
    // The next thread of the warp can have this stack at once.
    const uint32_t next = self.running_ + 1;
    if (next < self.warp_end_ && self.thread_[next].state == State::fresh && !self.thrown_) {
      self.start(next);
      continue;
    }
    hot.next = nullptr;
    self.free_fibers_.push_back(self.fiber_);
    xpose_simulator_switch(&self.fresh_stack_[self.fiber_], self.scheduler_);
  }
}

// Goes back to the scheduler until the thread that runs is resumed.
void Device::suspend() {
  log_.lane(lane()).next = hot.next;
  hot.next = nullptr;
  Thread& self = thread_[running_];
  self.state = State::waiting;
  self.fiber = fiber_;
  xpose_simulator_switch(&self.stack, scheduler_);
}

void Device::grow_log() {
  Log& log = log_.lane(lane());
  log.next = hot.next;
  hot.next = nullptr;
  if (!log_.grow(lane())) {
    thrown_ = std::make_exception_ptr(std::bad_alloc());
    xpose_simulator_switch(&thread_[running_].stack, scheduler_);
  }
  hot.next = log.next;
  hot.end = log.end;
}

void Device::give_up(uint32_t access, const void* site, const char* text) {
  if (hot.next != nullptr) log_.lane(lane()).next = hot.next;
  hot.next = nullptr;
  fault_.what = XPOSE_OUT_OF_BOUNDS;
  fault_.access = access;
  fault_.site = site;
  fault_.thread = running_;
  std::snprintf(text_, sizeof text_, "%s", text);
  faulted_ = true;
  xpose_simulator_switch(&thread_[running_].stack, scheduler_);
  __builtin_unreachable();
}

}  // namespace xpose::simulator
