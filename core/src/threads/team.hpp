// A team of threads that work for one caller at a time. One is lent by lent_team.hpp.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace xpose {

// A part of a piece of work, as in plugin.h.
using PartBody = void (*)(void* context, std::uint32_t part);

// A piece of work in parts, and by how many threads it is done: thread t does the parts t,
// t + threads, ... The caller is thread 0.
struct Job {
  PartBody body;
  void* context;
  std::uint32_t parts;
  unsigned threads;
  bool spins;          // whoever waits keeps its processor for a while
  cpu_set_t affinity;  // the caller's, which the others take over; none: the system does not say

  std::atomic_flag has_thrown = ATOMIC_FLAG_INIT;
  std::exception_ptr thrown = nullptr;  // what the first part that threw has thrown

  void work(unsigned thread);
};

// A thread of a team. Whether it has work, and who waits for whom, is one word on its own lines of
// the cache, which is also what both sleep on.
class alignas(128) TeamThread {
 public:
  // Its parts of a job are those of thread `number`.
  TeamThread(unsigned number, const cpu_set_t& affinity) : number_(number), affinity_(affinity) {}
  TeamThread(const TeamThread&) = delete;  // the thread knows its address

  // [once] False: the system has no thread to give. The thread never ends, so this object may not.
  bool start() noexcept;

  // [the caller of the job, in this order] A job is taken back where the thread has not begun it,
  // which it then never does, and else awaited.
  void offer(Job& job) noexcept;
  bool take_back() noexcept;
  void await(bool spins) noexcept;

 private:
  enum State : std::uint32_t {
    idle,     // it waits for an offer, or soon will
    asleep,   // the same, and must be woken
    offered,  // not begun
    taken,    // begun
    awaited   // begun, and the caller sleeps
  };
  void serve();
  void wait_for_offer(bool spins);
  bool try_take();

  std::atomic<std::uint32_t> state_{idle};
  Job* job_ = nullptr;  // while offered, taken or awaited
  unsigned number_;
  cpu_set_t affinity_;  // the thread's
};

// [one caller at a time]
class Team {
 public:
  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }  // beside the caller

  // Starts so many more, or as many as can be had.
  void grow(unsigned threads, const cpu_set_t& affinity) noexcept;

  // Has every part run, and returns when all have: at most threads() + 1 threads. Those that have
  // not begun when the caller is done with its own parts leave theirs to it.
  void run(Job& job);

  Team* next = nullptr;  // of those that nobody uses

 private:
  std::vector<std::unique_ptr<TeamThread>> threads_;
};

}  // namespace xpose
