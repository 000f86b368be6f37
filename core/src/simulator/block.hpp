// The blocks of a launch, one after the other: every thread of a block is a fiber, and the threads
// of a warp run in turn until each has returned or waits for others.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>
#include <xpose/simulator/vectors.hpp>

#include "simulator/fiber.hpp"
#include "simulator/warp_log.hpp"

namespace xpose::simulator {

// Where a thread waits: the word that the kernel used, and the place in its source.
struct Wait {
  const char* what = nullptr;
  const char* file = nullptr;
  unsigned line = 0;
  const void* site = nullptr;
  uint32_t mask = 0;  // lanes that must come too; 0: the whole block
  bool barrier = false;

  bool same_place(const Wait& other) const;
};

struct Kernel {
  const char* name;
  uint32_t grid[3];
  uint32_t block[3];
  uint64_t shared_bytes;
  void (*thread)(const void* arguments);
  const void* arguments;
  std::size_t argument_bytes;
};

// The value that a collective takes from a lane or gives to it.
struct Value {
  alignas(16) unsigned char bytes[16];
};

class Device {
 public:
  // Runs the kernel and tells the observer. Throws std::runtime_error with the fault's text after a
  // fault, and what a thread of the kernel threw.
  void run(const Kernel& kernel, const xpose_observer& observer);

  // Called by the thread that runs.

  // Waits for the block. Returns how many threads came with a true predicate.
  uint32_t barrier(const Wait& wait, bool predicate);
  // Waits for the lanes of the wait's mask. Returns those that came, whose values are given_by().
  uint32_t collective(const Wait& wait, const Value& offered);
  const Value& given_by(unsigned lane) const { return given_[lane]; }
  uint32_t threads() const { return threads_; }
  unsigned lane() const { return running_ & 31; }
  unsigned active_lanes() const;
  [[noreturn]] void give_up(uint32_t access, const void* site, const char* text);
  void grow_log();

 private:
  enum class State : uint8_t { fresh, running, waiting, released, ended };

  struct Thread {
    State state;
    void* stack;     // the end of its stack, once it waits
    uint32_t fiber;  // which one it waits on
    bool predicate;
    Wait wait;
  };

  static void main();
  void start(uint32_t thread);
  void suspend();
  void run_block(uint64_t block);
  void run_warp(uint32_t warp);
  void resume(uint32_t thread);
  bool release_collectives(uint32_t warp);
  void pass_barrier();
  void tell_notes(uint32_t warp);
  [[noreturn]] void end_fault(uint32_t warp);
  [[noreturn]] void divergent(uint32_t first, uint32_t last);
  uint32_t warp_end(uint32_t warp) const;
  void reset();

  const Kernel* kernel_ = nullptr;
  const xpose_observer* observer_ = nullptr;
  uint64_t block_ = 0;
  uint32_t threads_ = 0;
  uint32_t running_ = 0;   // the thread, of the block
  uint32_t warp_end_ = 0;  // of the warp that runs
  uint32_t fiber_ = 0;     // that runs
  void* scheduler_ = nullptr;
  uint32_t votes_ = 0;  // of the barrier passed last
  std::vector<Thread> thread_;
  std::vector<uint3> index_;  // of every thread: its threadIdx
  std::vector<uint32_t> free_fibers_;
  std::vector<void*> fresh_stack_;  // where a fiber starts or goes on between two threads
  Value given_[32], offered_[32];   // at the collective passed last, and at the next
  uint32_t partners_[32] = {};      // lanes that passed a lane's last collective with it
  WarpLog log_;
  Stacks stacks_;

  bool faulted_ = false;
  xpose_fault fault_ = {};
  char text_[512] = "";
  std::exception_ptr thrown_;
};

extern Device device;

}  // namespace xpose::simulator
