#include "threads/team.hpp"

#include <cxxabi.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <new>

namespace xpose {
namespace {

// So long who waits keeps its processor, because waking a thread costs more than small jobs do.
constexpr std::chrono::microseconds kPatience(2000);
constexpr int kLooksByTheClock = 500;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// False: it has not come within kPatience. The processor is offered to others now and then: a
// system may wake a thread on the processor of its waker, which would wait there for the end of
// patience.
template <class Condition>
bool spin_until(const Condition& condition) {
  std::chrono::steady_clock::time_point end;
  for (int round = 0;; ++round) {
    for (int look = 0; look < kLooksByTheClock; ++look) {
      if (condition()) return true;
      relax();
    }
    sched_yield();
    const auto now = std::chrono::steady_clock::now();
    if (round == 0) end = now + kPatience;
    if (now >= end) return false;
  }
}

// May return although nobody has woken it.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  static_assert(sizeof word == 4 && std::atomic<std::uint32_t>::is_always_lock_free);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// All signals but those that a thread brings upon itself, which would end the process if they were
// blocked, whatever handler it has.
sigset_t signals_of_others() {
  sigset_t set;
  sigfillset(&set);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
    sigdelset(&set, own);
  return set;
}

}  // namespace

void Job::work(unsigned thread) {
  for (std::uint64_t part = thread; part < parts; part += threads) try {
      body(context, static_cast<std::uint32_t>(part));
    } catch (const abi::__forced_unwind&) {
      throw;  // the thread is being ended
    } catch (...) {
      if (!has_thrown.test_and_set()) thrown = std::current_exception();
    }
}

// ------------------------------------------------------------------------ a thread of a team

bool TeamThread::start() noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const sigset_t blocked = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t id{};
  const auto main = [](void* self) -> void* {
    pthread_setname_np(pthread_self(), "xpose");
    static_cast<TeamThread*>(self)->serve();
    return nullptr;
  };
  const bool started = pthread_create(&id, &attributes, main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

void TeamThread::serve() {
  for (bool spins = true;;) {
    wait_for_offer(spins);
    struct Arrival {  // a part may end the thread: its caller hears of that as well
      std::atomic<std::uint32_t>& state;
      ~Arrival() {
        if (state.exchange(idle) == awaited) wake(state);
      }
    } const arrival{state_};
    Job& job = *job_;  // the caller's, who has it no more after the arrival
    spins = job.spins;
    if (CPU_COUNT(&job.affinity) != 0 && !CPU_EQUAL(&job.affinity, &affinity_)) {
      affinity_ = job.affinity;
      sched_setaffinity(0, sizeof affinity_, &affinity_);
    }
    job.work(number_);
  }
}

void TeamThread::wait_for_offer(bool spins) {
  if (spins && spin_until([this] { return try_take(); })) return;
  while (!try_take()) {
    std::uint32_t seen = idle;
    if (state_.compare_exchange_strong(seen, asleep) || seen == asleep) sleep_while(state_, asleep);
  }
}

bool TeamThread::try_take() {
  std::uint32_t seen = state_.load(std::memory_order_relaxed);
  return seen == offered && state_.compare_exchange_strong(seen, taken);
}

void TeamThread::offer(Job& job) noexcept {
  job_ = &job;
  if (state_.exchange(offered) == asleep) wake(state_);
}

bool TeamThread::take_back() noexcept {
  std::uint32_t seen = offered;
  return state_.compare_exchange_strong(seen, idle);
}

void TeamThread::await(bool spins) noexcept {
  const auto has_arrived = [this] {
    const std::uint32_t state = state_.load(std::memory_order_acquire);
    return state == idle || state == asleep;
  };
  if (spins && spin_until(has_arrived)) return;
  while (!has_arrived()) {
    std::uint32_t seen = taken;
    if (state_.compare_exchange_strong(seen, awaited) || seen == awaited)
      sleep_while(state_, awaited);
  }
}

// ------------------------------------------------------------------------------------ a team

void Team::grow(unsigned threads, const cpu_set_t& affinity) noexcept {
  try {
    for (; threads > 0; --threads)
      if (!threads_.emplace_back(std::make_unique<TeamThread>(this->threads() + 1, affinity))
               ->start()) {
        threads_.pop_back();
        return;
      }
  } catch (const std::bad_alloc&) {  // then with those that there are
  }
}

void Team::run(Job& job) {
  for (unsigned i = 1; i < job.threads; ++i) threads_[i - 1]->offer(job);
  struct End {  // also where a part ends the calling thread
    Team& team;
    const Job& job;
    ~End() {
      for (unsigned i = 1; i < job.threads; ++i)
        if (!team.threads_[i - 1]->take_back()) team.threads_[i - 1]->await(job.spins);
    }
  } const end{*this, job};
  job.work(0);
  for (unsigned i = job.threads - 1; i > 0; --i)
    if (threads_[i - 1]->take_back()) job.work(i);
}

}  // namespace xpose
