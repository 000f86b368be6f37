#include "worker/process_state.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cfloat>
#include <chrono>
#include <limits>

namespace xpose {
namespace {

std::size_t bytes_of(const std::vector<unsigned long>& mask) {
  return mask.size() * sizeof mask[0];
}

bool same(const rlimit& a, const rlimit& b) {
  return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max;
}

bool same(const sigset_t& a, const sigset_t& b) {
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
  return true;
}

// The C library's clock, by which trials are timed, goes as the kernel's.
bool clock_is_true() {
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  timespec before{}, after{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
  const std::chrono::duration<double> said = std::chrono::steady_clock::now().time_since_epoch();
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
  constexpr double kSlack = 1e-3;
  return said.count() > seconds(before) - kSlack && said.count() < seconds(after) + kSlack;
}

constexpr std::array<int, 3> kAlarms = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

}  // namespace

ProcessState::Scheduling ProcessState::scheduling_now() {
  Scheduling now;
  syscall(SYS_sched_getattr, 0, &now, sizeof now, 0);
  return now;
}

ProcessState::Arithmetic ProcessState::arithmetic_now() {
  volatile double least = DBL_MIN, none = std::numeric_limits<double>::denorm_min();
  return {fegetround(), fegetexcept(), least / 2 == 0 || none * 2 == 0};
}

ProcessState::ProcessState()
    : clock_was_true_(clock_is_true()),
      scheduling_(scheduling_now()),
      arithmetic_(arithmetic_now()),
      folder_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  // The kernel says how much of the mask it has; a cpu_set_t holds too few processors for some.
  const long bytes = syscall(SYS_sched_getaffinity, 0, bytes_of(affinity_), affinity_.data());
  affinity_.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof affinity_[0]);
  for (int limit = 0; limit < RLIMIT_NLIMITS; ++limit)
    getrlimit(static_cast<__rlimit_resource_t>(limit), &limits_.at(limit));
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, nullptr, &handlers_.at(signal));
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  fegetmode(&arithmetic_mode_);
  umask(umask_ = umask(0));
  for (std::size_t i = 0; i < standard_.size(); ++i)
    standard_.at(i) = Descriptor(fcntl(static_cast<int>(i), F_DUPFD_CLOEXEC, 3));
  if (const char* const locale = setlocale(LC_ALL, nullptr)) locale_ = locale;
  own_locale_ = uselocale(nullptr);
  timer_slack_ = prctl(PR_GET_TIMERSLACK);
  no_huge_pages_ = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
  int policy = 0;
  if (syscall(SYS_get_mempolicy, &policy, memory_nodes_.data(), 8 * sizeof memory_nodes_, 0, 0) ==
      0)
    memory_policy_ = policy;
}

bool ProcessState::restore_scheduling() const {
  if (!affinity_.empty()) syscall(SYS_sched_setaffinity, 0, bytes_of(affinity_), affinity_.data());
  if (scheduling_now() == scheduling_) return false;
  Scheduling old = scheduling_;
  syscall(SYS_sched_setattr, 0, &old, 0);
  return true;
}

bool ProcessState::restore_limits() const {
  bool changed = false;
  for (int limit = 0; limit < RLIMIT_NLIMITS; ++limit) {
    const auto resource = static_cast<__rlimit_resource_t>(limit);
    rlimit now{};
    if (getrlimit(resource, &now) != 0 || same(now, limits_.at(limit))) continue;
    setrlimit(resource, &limits_.at(limit));
    changed = true;
  }
  return changed;
}

bool ProcessState::restore_signals() const {
  bool changed = false;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now {};  // of the C library's own signals and those without handlers: an error
    if (sigaction(signal, &handlers_.at(signal), &now) == 0)
      changed |= now.sa_handler != handlers_.at(signal).sa_handler;
  }
  sigset_t mask{};
  pthread_sigmask(SIG_SETMASK, &mask_, &mask);
  for (const int alarm : kAlarms) {
    itimerval old{};
    const itimerval none{};
    setitimer(static_cast<__itimer_which_t>(alarm), &none, &old);
    changed |= old.it_value.tv_sec != 0 || old.it_value.tv_usec != 0;
  }
  return changed || !same(mask, mask_);
}

bool ProcessState::restore_arithmetic() const {
  const bool changed = arithmetic_now() != arithmetic_;
  fesetmode(&arithmetic_mode_);
  return changed;
}

bool ProcessState::restore_files() const {
  struct stat here {};
  struct stat before {};
  const bool moved =
      fstat(folder_.get(), &before) == 0 &&
      (stat(".", &here) != 0 || here.st_dev != before.st_dev || here.st_ino != before.st_ino);
  if (moved && fchdir(folder_.get()) != 0) return true;
  return umask(umask_) != umask_ || moved;
}

bool ProcessState::restore_standard_descriptors() const {
  bool changed = false;
  for (std::size_t i = 0; i < standard_.size(); ++i) {
    const auto number = static_cast<int>(i);
    struct stat now {};
    struct stat before {};
    if (fstat(standard_.at(i).get(), &before) != 0) continue;  // it was closed
    if (fstat(number, &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino)
      continue;
    dup2(standard_.at(i).get(), number);
    changed = true;
  }
  return changed;
}

bool ProcessState::restore_locale() const {
  const bool own = uselocale(own_locale_) != own_locale_;
  const char* const now = setlocale(LC_ALL, nullptr);
  if (locale_.empty() || (now != nullptr && now == locale_)) return own;
  setlocale(LC_ALL, locale_.c_str());
  return true;
}

void ProcessState::restore_memory() const {
  prctl(PR_SET_TIMERSLACK, timer_slack_, 0, 0, 0);
  if (no_huge_pages_ >= 0) prctl(PR_SET_THP_DISABLE, no_huge_pages_, 0, 0, 0);
  if (memory_policy_ >= 0)
    syscall(SYS_set_mempolicy, memory_policy_, memory_nodes_.data(), 8 * sizeof memory_nodes_);
}

std::string ProcessState::restore() const {
  restore_memory();
  const bool scheduling = restore_scheduling(), limits = restore_limits();
  const bool signals = restore_signals(), arithmetic = restore_arithmetic();
  const bool files = restore_files(), standard = restore_standard_descriptors();
  const bool locale = restore_locale();
  if (clock_was_true_ && !clock_is_true()) return "the clock";
  if (arithmetic) return "the rounding, traps or denormal numbers of its arithmetic";
  if (signals) return "the handlers, the mask or the alarms of its signals";
  if (scheduling) return "its scheduling class or priority";
  if (limits) return "its limits";
  if (files) return "its current folder or umask";
  if (standard) return "its standard input, output or error";
  if (locale) return "its locale";
  return {};
}

}  // namespace xpose
