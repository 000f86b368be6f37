#include "worker/host_channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <xpose/problem.hpp>

#include "fake_worker.hpp"
#include "process/descriptor.hpp"
#include "worker/worker_process.hpp"

namespace xpose {
namespace {

constexpr int kHung = 60'000;  // milliseconds

bool hangs_up(const Descriptor& end, int milliseconds = kHung) {
  pollfd watched{end.get(), 0, 0};
  return poll(&watched, 1, milliseconds) == 1;
}

// A worker's side in a fork of this process, in a group of its own. Its exit status is what `body`
// returns.
class Worker {
 public:
  explicit Worker(const std::function<int(HostChannel&)>& body) {
    auto [mine, its] = socket_pair();
    const pid_t pid = fork();
    if (pid == 0) {
      setpgid(0, 0);
      mine = Descriptor();
      dup2(its.get(), kChannelDescriptor);
      if (its.get() != kChannelDescriptor) its = Descriptor();
      HostChannel channel;
      _exit(body(channel));
    }
    host_end = std::move(mine);
    pid_ = pid;
  }
  ~Worker() {
    host_end = Descriptor();
    if (pid_ > 0) end();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void send(std::string_view bytes) const {
    ASSERT_EQ(::send(host_end.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // The next payload; "" after its end.
  std::string receive() {
    for (;;) {
      if (auto payload = reader_.next()) return *payload;
      std::array<char, 4096> bytes{};
      const ssize_t count = recv(host_end.get(), bytes.data(), bytes.size(), 0);
      if (count <= 0) return "";
      reader_.feed({bytes.data(), static_cast<std::size_t>(count)});
    }
  }

  int end() {  // as waitpid says it
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

  Descriptor host_end;

 private:
  pid_t pid_ = -1;
  FrameReader reader_;
};

bool killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

TEST(HostChannel, GivesRequestsInOrderAndAnswers) {
  Worker worker([](HostChannel& channel) {
    while (const auto request = channel.receive(60)) {
      if (*request == "stop") return 5;
      channel.send(*request + "!");
    }
    return 1;
  });
  const std::string large(1 << 20, 'x');
  worker.send(frame("one") + frame(""));
  EXPECT_EQ(worker.receive(), "one!");
  EXPECT_EQ(worker.receive(), "!");
  worker.send(frame(large));
  EXPECT_EQ(worker.receive(), large + "!");
  worker.send(frame("stop"));
  EXPECT_EQ(WEXITSTATUS(worker.end()), 5);
}

TEST(HostChannel, KeepsTheBeginningOfTheNextRequest) {
  Worker worker([](HostChannel& channel) {
    while (const auto request = channel.receive(60)) channel.send(*request + "!");
    return 0;
  });
  const std::string next = frame("two");
  worker.send(frame("one") + next.substr(0, 10));
  EXPECT_EQ(worker.receive(), "one!");
  worker.send(next.substr(10));
  EXPECT_EQ(worker.receive(), "two!");
}

// Else the kernel might end the host.
TEST(HostChannel, TheWorkerIsTheFirstToEndWhereMemoryRunsOut) {
  Worker worker([](HostChannel&) {
    int score = 0;
    std::ifstream("/proc/self/oom_score_adj") >> score;
    return score == 1000 ? 0 : 1;
  });
  EXPECT_EQ(worker.end(), 0);
}

TEST(HostChannel, GivesNothingForSilenceAndGarbage) {
  Worker silent([](HostChannel& channel) { return channel.receive(0.01) ? 1 : 0; });
  EXPECT_EQ(silent.end(), 0);
  Worker waiting([](HostChannel& channel) { return channel.receive(0.1) ? 1 : 0; });
  waiting.send(frame("half a request").substr(0, 10));
  EXPECT_EQ(waiting.end(), 0);
  Worker confused([](HostChannel& channel) { return channel.receive(60) ? 1 : 0; });
  confused.send("garbage");
  EXPECT_EQ(confused.end(), 0);
}

TEST(HostChannel, SendsThroughAChannelThatSomebodyMadeNonBlocking) {
  const std::string large(4 << 20, 'x');
  Worker worker([&](HostChannel& channel) {
    fcntl(kChannelDescriptor, F_SETFL, O_NONBLOCK);
    channel.send(large);
    return 0;
  });
  EXPECT_TRUE(worker.receive() == large);
  EXPECT_EQ(worker.end(), 0);
}

TEST(HostChannel, TheWholeGroupEndsWithTheHost) {
  auto [mine, its] = socket_pair();
  Worker worker([](HostChannel& channel) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    if (fork() != 0) channel.send("busy");
    for (volatile bool busy = true; busy;) continue;
    return 0;
  });
  its = Descriptor();  // the worker and its child hold it
  EXPECT_EQ(worker.receive(), "busy");
  EXPECT_FALSE(hangs_up(mine, 0));
  worker.host_end = Descriptor();
  EXPECT_TRUE(killed(worker.end()));
  EXPECT_TRUE(hangs_up(mine)) << "its child lives";
}

TEST(HostChannel, EndsOnlyItselfInAGroupThatIsNotItsOwn) {
  Worker other([](HostChannel& channel) {
    channel.send(std::to_string(getpid()));
    return channel.receive(60) ? 5 : 1;
  });
  const pid_t group = std::stoi(other.receive());
  Worker worker([&](HostChannel& channel) {
    channel.send(setpgid(0, group) == 0 ? "moved" : "failed");
    for (;;) pause();
    return 0;
  });
  EXPECT_EQ(worker.receive(), "moved");
  worker.host_end = Descriptor();
  const int status = worker.end();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
  other.send(frame("go on"));
  EXPECT_EQ(WEXITSTATUS(other.end()), 5);
}

TEST(HostChannel, EndsWithAHostWhoseForkHoldsTheChannel) {
  if (open_process(getpid()).get() < 0) GTEST_SKIP() << "this system has no process descriptors";
  Leash leash;
  auto [ready, its_ready] = socket_pair();
  const pid_t host = fork();
  if (host == 0) {
    ready = Descriptor();
    WorkerProcess worker(FAKE_WORKER);
    const bool asked = answer(worker, "hold " + leash.path()) == "done" &&
                       answer(worker, "have a child") == "done";
    if (fork() == 0) {
      char byte = 0;
      (void)!read(its_ready.get(), &byte, 1);  // until the test has ended
      _exit(0);
    }
    (void)!write(its_ready.get(), asked ? "y" : "n", 1);
    for (;;) pause();
  }
  its_ready = Descriptor();
  char asked = 'n';
  EXPECT_EQ(read(ready.get(), &asked, 1), 1);
  EXPECT_EQ(asked, 'y');
  EXPECT_FALSE(leash.nobody_holds(0));
  kill(host, SIGKILL);
  waitpid(host, nullptr, 0);
  EXPECT_TRUE(leash.nobody_holds(kHung)) << "the worker lives";
}

TEST(HostChannel, KeepsItsChannelFromOtherProgramsAndLeavesNoCore) {
  Worker worker([](HostChannel&) {
    rlimit core{};
    getrlimit(RLIMIT_CORE, &core);
    if (core.rlim_cur > 1 || core.rlim_max > 1) return 1;
    return (fcntl(kChannelDescriptor, F_GETFD) & FD_CLOEXEC) != 0 ? 0 : 2;
  });
  EXPECT_EQ(worker.end(), 0);
}

TEST(HostChannel, RefusesAProgramStartedByHand) {
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(STDIN_FILENO, kChannelDescriptor);
    try {
      HostChannel channel;
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("by hand") != std::string::npos ? 7 : 8);
    }
    _exit(9);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace xpose
