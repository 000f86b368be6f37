#include "worker/process_state.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace xpose {
namespace {

TEST(ProcessState, SaysNothingWhereNothingChanged) {
  const ProcessState state;
  EXPECT_EQ(state.restore(), "");
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, RestoresAffinity) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "SKIPPED: there is one processor";
  const ProcessState state;
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(state.restore(), "");  // libraries of threads bind them, and mean no harm
  cpu_set_t now;
  ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_TRUE(CPU_EQUAL(&now, &all));
}

TEST(ProcessState, RestoresSchedulingClassAndPriority) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root may raise a priority again";
  const ProcessState state;
  const int nice = getpriority(PRIO_PROCESS, 0), policy = sched_getscheduler(0);
  ASSERT_EQ(setpriority(PRIO_PROCESS, 0, nice + 3), 0);
  EXPECT_EQ(state.restore(), "its scheduling class or priority");
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
  const sched_param none{};
  ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
  EXPECT_EQ(state.restore(), "its scheduling class or priority");
  EXPECT_EQ(sched_getscheduler(0), policy);
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, RestoresSignals) {
  const ProcessState state;
  std::signal(SIGUSR1, SIG_IGN);
  EXPECT_EQ(state.restore(), "the handlers, the mask or the alarms of its signals");
  struct sigaction now {};
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  EXPECT_EQ(state.restore(), "the handlers, the mask or the alarms of its signals");
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

TEST(ProcessState, EndsAlarms) {
  const ProcessState state;
  alarm(1000);
  EXPECT_EQ(state.restore(), "the handlers, the mask or the alarms of its signals");
  EXPECT_EQ(alarm(0), 0U);
}

TEST(ProcessState, RestoresArithmetic) {
  const ProcessState state;
  const std::string words = "the rounding, traps or denormal numbers of its arithmetic";
  std::fesetround(FE_UPWARD);
  EXPECT_EQ(state.restore(), words);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  feenableexcept(FE_INEXACT);
  EXPECT_EQ(state.restore(), words);
  EXPECT_EQ(fegetexcept(), 0);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);  // denormal numbers are zero
  EXPECT_EQ(state.restore(), words);
  EXPECT_EQ(_mm_getcsr() & 0x8040U, 0U);
#endif
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, RestoresLimits) {
  const ProcessState state;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  rlimit fewer = files;
  fewer.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &fewer), 0);
  EXPECT_EQ(state.restore(), "its limits");
  getrlimit(RLIMIT_NOFILE, &fewer);
  EXPECT_EQ(fewer.rlim_cur, files.rlim_cur);
}

TEST(ProcessState, RestoresCurrentFolderAndUmask) {
  const std::filesystem::path here = std::filesystem::current_path();
  const ProcessState state;
  ASSERT_EQ(chdir("/"), 0);
  EXPECT_EQ(state.restore(), here == "/" ? "" : "its current folder or umask");
  EXPECT_EQ(std::filesystem::current_path(), here);
  const mode_t before = umask(0);
  umask(before ^ 022U);
  EXPECT_EQ(state.restore(), "its current folder or umask");
  EXPECT_EQ(umask(before), before);
}

TEST(ProcessState, RestoresStandardDescriptors) {
  const auto is_open = [](int number) { return fcntl(number, F_GETFD) >= 0; };
  ASSERT_TRUE(is_open(0) && is_open(1) && is_open(2));
  const ProcessState state;
  struct stat before {};
  fstat(1, &before);
  close(0);
  EXPECT_EQ(state.restore(), "its standard input, output or error");
  EXPECT_TRUE(is_open(0));
  const int other = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  dup2(other, 1);
  close(other);
  EXPECT_EQ(state.restore(), "its standard input, output or error");
  struct stat now {};
  fstat(1, &now);
  EXPECT_EQ(now.st_ino, before.st_ino);
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, RestoresLocale) {
  const ProcessState state;
  ASSERT_STREQ(setlocale(LC_ALL, nullptr), "C");
  if (setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "SKIPPED: there is one locale";
  EXPECT_EQ(state.restore(), "its locale");
  EXPECT_STREQ(setlocale(LC_ALL, nullptr), "C");
  const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  uselocale(own);
  EXPECT_EQ(state.restore(), "its locale");
  EXPECT_EQ(uselocale(nullptr), LC_GLOBAL_LOCALE);
  freelocale(own);
  EXPECT_EQ(state.restore(), "");
}

TEST(ProcessState, RestoresTimerSlackAndHugePages) {
  const int slack = prctl(PR_GET_TIMERSLACK);
  const ProcessState state;
  prctl(PR_SET_TIMERSLACK, 1'000'000, 0, 0, 0);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  EXPECT_EQ(state.restore(), "");
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack);
  EXPECT_EQ(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 0);
}

}  // namespace
}  // namespace xpose
