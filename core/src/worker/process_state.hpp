// State of the process that a plugin can change and would leave to the next one.
#pragma once

#include <locale.h>
#include <sys/resource.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "process/descriptor.hpp"

namespace xpose {

// Of a thread: whose affinity, scheduling, signal mask and arithmetic these are. [that thread]
class ProcessState {
 public:
  ProcessState();  // as it is now

  // Puts back, as far as the system lets it: affinity, scheduling class and priority, limits,
  // handlers and mask of signals, alarms, rounding, traps and denormal numbers, current folder and
  // umask, standard descriptors, locale, timer slack, memory policy and huge pages. Says what had
  // changed of those that a launch must leave to its caller ("the rounding of its arithmetic"), or
  // nothing. Takes some 16 us.
  std::string restore() const;

 private:
  struct Scheduling {  // the kernel's sched_attr, in its first form
    std::uint32_t size = sizeof(Scheduling);
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
    bool operator==(const Scheduling&) const = default;
  };
  struct Arithmetic {
    int rounding = 0;
    int traps = 0;
    bool flushes = false;  // denormal numbers to zero
    bool operator==(const Arithmetic&) const = default;
  };
  static Scheduling scheduling_now();
  static Arithmetic arithmetic_now();

  // Whether it had changed.
  bool restore_scheduling() const;
  bool restore_limits() const;
  bool restore_signals() const;
  bool restore_arithmetic() const;
  bool restore_files() const;
  bool restore_standard_descriptors() const;
  bool restore_locale() const;
  void restore_memory() const;

  bool clock_was_true_ = true;  // but where it is preloaded
  std::vector<unsigned long> affinity_ = std::vector<unsigned long>(1024);
  Scheduling scheduling_;
  std::array<rlimit, RLIMIT_NLIMITS> limits_{};
  std::array<struct sigaction, NSIG> handlers_{};
  sigset_t mask_{};
  Arithmetic arithmetic_;
  femode_t arithmetic_mode_{};
  Descriptor folder_;
  std::array<Descriptor, 3> standard_;  // the files of descriptors 0 to 2
  std::string locale_;                  // of the process
  locale_t own_locale_ = nullptr;       // of the thread
  mode_t umask_ = 0;
  int timer_slack_ = 0;
  int no_huge_pages_ = 0;
  int memory_policy_ = -1;  // -1: the system does not say
  std::array<unsigned long, 16> memory_nodes_{};
};

}  // namespace xpose
