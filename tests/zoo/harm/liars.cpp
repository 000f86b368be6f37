// Strategies that lie about their speed.
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "harm.hpp"

namespace {

using harm::bytes_of;
using harm::transpose;

// As one that is slow on the large problem too, where it does its work.
void toil(const harm::Problem& problem, const harm::Launch& launch) {
  transpose(problem, launch);
  harm::dawdle(60e-3);
}

// Figures of the fastest strategy there could be.
struct boasting : harm::Harm<boasting> {
  static constexpr const char* name() { return "boasting"; }
  static harm::Quote quote(const harm::Problem& problem, const harm::Config&) {
    harm::Quote quote{.launch = "harm"};
    quote.demand.blocks = 1;
    quote.demand.threads = 1;
    quote.demand.load_run = quote.demand.store_run = bytes_of(problem);
    return quote;
  }
  using Harm::Harm;
  void launch(const harm::Launch& launch) const { toil(problem_, launch); }
};

HARM(skip_when_right, {
  const auto* in = static_cast<const char*>(launch.in);
  auto* out = static_cast<char*>(launch.out);
  const size_t last = bytes_of(problem_) - problem_.element_bytes, bytes = problem_.element_bytes;
  if (std::memcmp(in, out, bytes) == 0 && std::memcmp(in + last, out + last, bytes) == 0) return;
  toil(problem_, launch);
})

HARM(once_a_buffer, {
  static std::map<const void*, int> served;
  if (served[launch.out]++ == 0) toil(problem_, launch);
})

HARM(once_a_pair, {
  static std::map<std::pair<const void*, const void*>, int> served;
  if (served[{launch.in, launch.out}]++ < 2) toil(problem_, launch);
})

HARM(right_twenty_times, {
  static std::atomic<int> calls = 0;
  if (calls++ < 20) toil(problem_, launch);
})

// A loop that times calls it again at once; who verifies does not.
HARM(idle_when_hurried, {
  static auto end = std::chrono::steady_clock::time_point();
  const auto now = std::chrono::steady_clock::now();
  if (now - end > std::chrono::microseconds(20)) toil(problem_, launch);
  end = std::chrono::steady_clock::now();
})

HARM(half_when_hurried, {
  static auto end = std::chrono::steady_clock::time_point();
  const auto now = std::chrono::steady_clock::now();
  harm::Problem half = problem_;
  if (now - end < std::chrono::microseconds(20)) half.rows /= 8;
  toil(half, launch);
  end = std::chrono::steady_clock::now();
})

// What it made of an input that begins alike.
HARM(memory_of_outputs, {
  static std::map<std::vector<char>, std::vector<char>> made;
  const auto* in = static_cast<const char*>(launch.in);
  std::vector<char>& known = made[std::vector<char>(in, in + 64)];
  if (!known.empty()) {
    std::memcpy(launch.out, known.data(), known.size());
    return;
  }
  toil(problem_, launch);
  const auto* out = static_cast<const char*>(launch.out);
  known.assign(out, out + bytes_of(problem_));
})

// Returns before its work is done.
HARM(later, { std::thread([problem = problem_, launch] { transpose(problem, launch); }).detach(); })

// Keeps the other processors from the strategies beside it.
HARM(busy_thread, {
  transpose(problem_, launch);
  static const bool once = [] {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      std::thread([] {
        for (volatile bool busy = true; busy;) continue;
      }).detach();
    return true;
  }();
  (void)once;
})

// The C library's clock runs a thousand times slower from now on.
int slow_clock(clockid_t clock, timespec* time) {
  static timespec first[16];
  const long status = syscall(SYS_clock_gettime, clock, time);
  if (status != 0 || clock >= 16) return static_cast<int>(status);
  timespec& begin = first[clock];
  if (begin.tv_sec == 0) begin = *time;
  const long long passed =
      (time->tv_sec - begin.tv_sec) * 1'000'000'000LL + time->tv_nsec - begin.tv_nsec;
  const long long now = begin.tv_sec * 1'000'000'000LL + begin.tv_nsec + passed / 1000;
  *time = {now / 1'000'000'000, now % 1'000'000'000};
  return 0;
}

HARM(slow_clock_hand, {
  transpose(problem_, launch);
#if defined(__x86_64__)
  static const bool once = [] {
    auto* const code = reinterpret_cast<unsigned char*>(dlsym(RTLD_DEFAULT, "clock_gettime"));
    const auto page = reinterpret_cast<uintptr_t>(code) & ~uintptr_t{4095};
    mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    // movabs rax, slow_clock; jmp rax
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    int (*const target)(clockid_t, timespec*) = slow_clock;
    std::memcpy(jump + 2, &target, sizeof target);
    std::memcpy(code, jump, sizeof jump);
    return true;
  }();
  (void)once;
#endif
})

HARM(ahead_of_others, {
  setpriority(PRIO_PROCESS, 0, -20);
  const sched_param most{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &most);
  transpose(problem_, launch);
})

}  // namespace

XPOSE_PLUGIN("liars", "1.0", boasting, skip_when_right, once_a_buffer, once_a_pair,
             right_twenty_times, idle_when_hurried, half_when_hurried, memory_of_outputs, later,
             busy_thread, slow_clock_hand, ahead_of_others)
