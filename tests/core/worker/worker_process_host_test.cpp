#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <xpose/problem.hpp>

#include "fake_worker.hpp"
#include "worker/worker_process.hpp"

// A worker process and the process that starts it: what it inherits, and hosts of all kinds.
namespace xpose {
namespace {

class WorkerHostTest : public WithFakeWorker {};
// In this order: a filter stays.
INSTANTIATE_TEST_SUITE_P(ByDescriptor, WorkerHostTest, testing::Values(Watching::by_descriptor));
INSTANTIATE_TEST_SUITE_P(ByAsking, WorkerHostTest, testing::Values(Watching::by_asking));

// The exit status of what a fork of this process does.
int in_fork(const std::function<bool()>& succeeds) {
  const pid_t pid = fork();
  if (pid == 0) _exit(succeeds() ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

// The kernel forgets a number only a moment after nobody can wait for its process any more.
bool is_gone(pid_t pid) {
  const auto begin = std::chrono::steady_clock::now();
  while (::kill(pid, 0) == 0 &&
         std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(kPatient))
    std::this_thread::yield();
  return ::kill(pid, 0) == -1;
}

// ------------------------------------------------------------------------------- its inheritance

TEST_P(WorkerHostTest, InheritsNeitherDescriptorsNorSignals) {
  const int open_on_exec = fcntl(STDERR_FILENO, F_DUPFD, 10);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  std::signal(SIGUSR2, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);

  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(answer(worker, "descriptors"), "0 1 2 3");
  EXPECT_EQ(answer(worker, "signals"), "");
  EXPECT_EQ(answer(worker, "read input"), "0");
  EXPECT_EQ(getpgid(worker.pid()), worker.pid());

  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGUSR2, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(open_on_exec);
}

TEST_P(WorkerHostTest, StartsFromAHostWithoutStandardDescriptors) {
  // From 0 on closed, the ends of the channel and the pipe would land on each number in turn.
  for (int closed = 0; closed <= 4; ++closed) {
    const int status = in_fork([closed] {
      for (int i = 0; i < closed; ++i) close(i);
      WorkerProcess worker(FAKE_WORKER);
      for (int i = 0; i < closed && i < 3; ++i)
        if (fcntl(i, F_GETFD) != -1) return false;  // a print of the host's would go there
      return answer(worker, "descriptors") == "0 1 2 3" && answer(worker, "echo hello") == "hello";
    });
    EXPECT_EQ(status, 0) << closed;
  }
}

TEST_P(WorkerHostTest, SaysWhatToInstall) {
  for (const std::string path : {"/nonexistent/xpose-trial", "/dev/null"}) {
    try {
      WorkerProcess worker(path);
      FAIL() << "started " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("install"), std::string::npos) << error.what();
    }
  }
}

// -------------------------------------------------------------------------------------- its host

TEST_P(WorkerHostTest, AHostThatIgnoresItsChildrenLearnsNoStatusButDoesNotWait) {
  std::signal(SIGCHLD, SIG_IGN);
  WorkerProcess dead(FAKE_WORKER);
  EXPECT_EQ(hear(dead, "exit", kPatient), Heard::ended);
  EXPECT_EQ(dead.kill(kPatient), ProcessEnd{});

  WorkerProcess hanging(FAKE_WORKER);
  EXPECT_EQ(hear(hanging, "hang", kSoon), Heard::late);
  EXPECT_EQ(hanging.kill(kPatient), ProcessEnd{});
  EXPECT_TRUE(is_gone(hanging.pid())) << "still there";
  std::signal(SIGCHLD, SIG_DFL);
}

TEST_P(WorkerHostTest, AForkOfTheHostDoesNotEndIt) {
  auto worker = std::make_unique<WorkerProcess>(FAKE_WORKER);
  EXPECT_EQ(in_fork([&] {
              worker.reset();
              return true;
            }),
            0);
  EXPECT_EQ(answer(*worker, "echo hello"), "hello");
}

TEST_P(WorkerHostTest, SeveralThreadsHaveTheirOwn) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::array<int, 4> right{};
  for (int& mine : right)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 3; ++i) {
        WorkerProcess worker(FAKE_WORKER);
        mine += answer(worker, "echo hello") == "hello";
        mine += hear(worker, "abort", kPatient) == Heard::ended;
        mine += worker.kill() == signalled(SIGABRT);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, (std::array<int, 4>{9, 9, 9, 9}));
}

// A tracer stands for what the kernel holds on to: the dead worker cannot be reaped until it lets
// go.
TEST_P(WorkerHostTest, LeavesAStuckOneToBeReapedLater) {
  auto [mine, its] = socket_pair();
  WorkerProcess stuck(FAKE_WORKER);
  ASSERT_EQ(answer(stuck, "allow tracing"), "done");
  const pid_t tracer = fork();
  if (tracer == 0) {
    mine = Descriptor();
    const bool traces = ptrace(PTRACE_SEIZE, stuck.pid(), nullptr, nullptr) == 0;
    char byte = traces ? 'y' : 'n';
    if (write(its.get(), &byte, 1) == 1) (void)!read(its.get(), &byte, 1);
    _exit(0);
  }
  its = Descriptor();
  const auto let_go = [&, &mine = mine] {
    (void)!write(mine.get(), "x", 1);
    waitpid(tracer, nullptr, 0);
  };
  char traces = 'n';
  ASSERT_EQ(read(mine.get(), &traces, 1), 1);
  if (traces == 'n') {
    let_go();
    GTEST_SKIP() << "this system does not let a program trace another";
  }
  EXPECT_EQ(stuck.kill(kSoon), ProcessEnd{});
  EXPECT_EQ(waitpid(stuck.pid(), nullptr, WNOHANG), 0) << "it was not stuck";
  let_go();
  siginfo_t dead;  // whose end may take a while, and is not reaped here
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(stuck.pid()), &dead, WEXITED | WNOWAIT), 0);
  WorkerProcess next(FAKE_WORKER);
  EXPECT_EQ(waitpid(stuck.pid(), nullptr, WNOHANG), -1) << "it was left for good";
  EXPECT_EQ(answer(next, "echo hello"), "hello");
}

}  // namespace
}  // namespace xpose
