// Strategies that are right, and wreck the process or the thread that calls them.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdio>
#include <string>
#include <thread>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "harm.hpp"

namespace {

using harm::bytes_of;

// Transposes, and then does what it says.
#define AFTERWARDS(NAME, ...) \
  HARM(NAME, {                \
    Harm::launch(launch);     \
    __VA_ARGS__               \
  })

volatile int zero = 0;

int deeper(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth == -1 ? 0 : deeper(depth + 1) + frame[0];
}

// ------------------------------------------------------------------------------- ends the process

AFTERWARDS(overflow_the_stack, zero = deeper(zero);)
AFTERWARDS(divide_by_zero, zero = 100 / zero;)
AFTERWARDS(illegal_instruction, __builtin_trap();)
AFTERWARDS(missing_page, {
  const int file = memfd_create("short", MFD_CLOEXEC);
  auto* const page =
      static_cast<volatile char*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
  zero = *page;
})
AFTERWARDS(free_the_input, std::free(const_cast<void*>(launch.in));)
AFTERWARDS(free_twice, {
  void* const memory = std::malloc(100);
  void* volatile again = memory;
  std::free(memory);
  std::free(again);
})
AFTERWARDS(throw_in_a_thread, std::thread([] { throw 1; }).join();)
AFTERWARDS(end_the_thread, pthread_exit(nullptr);)
AFTERWARDS(become_another_program, execl("/bin/true", "true", nullptr);)
AFTERWARDS(leave_quietly, syscall(SYS_exit_group, 0);)
AFTERWARDS(leave_quickly, std::quick_exit(0);)
AFTERWARDS(unmap_the_output, {
  const auto page = reinterpret_cast<uintptr_t>(launch.out) & ~uintptr_t{4095};
  munmap(reinterpret_cast<void*>(page), 1 << 16);
})
AFTERWARDS(forbid_the_input, {
  const auto page = reinterpret_cast<uintptr_t>(launch.in) & ~uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 1 << 16, PROT_NONE);
})
AFTERWARDS(forbid_calls, prctl(PR_SET_SECCOMP, 1 /* strict: nothing but read, write, exit */);)
AFTERWARDS(interrupt_itself, raise(SIGINT);)
AFTERWARDS(ring_at_once, {
  const itimerval soon{{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  usleep(20'000);
})
AFTERWARDS(kill_its_group, kill(0, SIGTERM);)
AFTERWARDS(kill_by_processor_time, {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CPU, &none);
  for (;;) zero = zero;
})

// -------------------------------------------------------------------------- breaks its channel

AFTERWARDS(close_all, closefrom(0);)
AFTERWARDS(shut_the_channel, shutdown(3, SHUT_RDWR);)
AFTERWARDS(stop_answering, shutdown(3, SHUT_WR);)
AFTERWARDS(put_a_file_there, dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 3);)
AFTERWARDS(forge_a_notice, {
  const std::string notice = "1 6 launch0 0 0 0 0 ";
  std::string frame = "xpo1";
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(notice.size() >> (8 * i));
  frame += notice;
  for (int i = 0; i < 100; ++i) (void)!write(3, frame.data(), frame.size());
})
AFTERWARDS(announce_much, {
  const std::string frame("xpo1\0\0\0\2", 8);  // 32 MiB
  (void)!write(3, frame.data(), frame.size());
})
AFTERWARDS(double_itself, (void)fork();)
AFTERWARDS(many_children, {
  for (int i = 0; i < 20; ++i)
    if (fork() == 0) {
      sleep(300);
      _exit(0);
    }
  _exit(7);
})

// ---------------------------------------------------- changes the thread or process of its caller

AFTERWARDS(round_upward, std::fesetround(FE_UPWARD);)
AFTERWARDS(trap_inexact, feenableexcept(FE_DIVBYZERO);)
AFTERWARDS(flush_denormals, {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);
#else
  std::fesetround(FE_DOWNWARD);
#endif
})
AFTERWARDS(handle_signals, signal(SIGUSR1, SIG_IGN);)
AFTERWARDS(block_signals, {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
})
AFTERWARDS(ring_later, alarm(3000);)
AFTERWARDS(step_back, (void)!nice(5);)
AFTERWARDS(idle_class, {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none);
})
AFTERWARDS(few_files, {
  const rlimit few{5, 5};
  setrlimit(RLIMIT_NOFILE, &few);
})
AFTERWARDS(little_memory, {
  const rlimit little{64 << 20, 64 << 20};
  setrlimit(RLIMIT_AS, &little);
})
AFTERWARDS(go_elsewhere, (void)!chdir("/proc");)
AFTERWARDS(open_files, umask(0777);)
AFTERWARDS(close_the_output, close(1);)
AFTERWARDS(change_the_locale, setlocale(LC_ALL, "C.UTF-8");)

}  // namespace

XPOSE_PLUGIN("wreckers", "1.0", overflow_the_stack, divide_by_zero, illegal_instruction,
             missing_page, free_the_input, free_twice, throw_in_a_thread, end_the_thread,
             become_another_program, leave_quietly, leave_quickly, unmap_the_output,
             forbid_the_input, forbid_calls, interrupt_itself, ring_at_once, kill_its_group,
             kill_by_processor_time, close_all, shut_the_channel, stop_answering, put_a_file_there,
             forge_a_notice, announce_much, double_itself, many_children, round_upward,
             trap_inexact, flush_denormals, handle_signals, block_signals, ring_later, step_back,
             idle_class, few_files, little_memory, go_elsewhere, open_files, close_the_output,
             change_the_locale)
