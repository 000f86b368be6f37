#include "worker/host_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>
#include <xpose/problem.hpp>

#include "process/deadline.hpp"
#include "process/descriptor.hpp"

namespace xpose {
namespace {

[[noreturn]] void end_group() {
  // A plugin may have moved this process into a group that is not ours to end.
  if (getpgrp() == getpid()) kill(0, SIGKILL);
  _exit(EXIT_FAILURE);
}

// Whichever thread finds it first says so.
[[noreturn]] void end_without_channel() {
  static std::atomic_flag is_said = ATOMIC_FLAG_INIT;
  while (is_said.test_and_set()) pause();  // until the other thread ends this one, too
  std::fputs("the plugin closed descriptor 3, the channel to the host\n", stderr);
  end_group();
}

void forbid_core_files() {
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  // 1 byte is less than any core file; 0 would still feed the dump to a program that collects them.
  limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, 1);
  setrlimit(RLIMIT_CORE, &limit);
}

// The kernel's want of memory is to end this process, and not the host.
void volunteer_for_memory() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

// Watches the channel, and the host itself where the system can: a fork of the host may hold the
// channel open after it. No events: data is the other threads' business, hanging up is reported
// always.
[[noreturn]] void watch(int host) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);  // handlers of a plugin run elsewhere
  std::array<pollfd, 2> watched{{{kChannelDescriptor, 0, 0}, {host, POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) <= 0) continue;
  if ((watched[0].revents & POLLNVAL) != 0) end_without_channel();
  end_group();
}

void start_watching() try {
  std::thread(watch, open_process(getppid()).release()).detach();
} catch (const std::system_error& error) {
  throw Error(ErrorKind::failed, std::string("cannot start a thread to watch the host: ") +
                                     error.what() + "; raise the limit on processes");
}

}  // namespace

HostChannel::HostChannel() : pid_(getpid()) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kChannelDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
    throw Error(
        ErrorKind::failed,
        "descriptor 3 is no channel to a host: this program is started by xpose, not by hand");
  // A program that a plugin starts must not hold it.
  fcntl(kChannelDescriptor, F_SETFD, FD_CLOEXEC);
  forbid_core_files();
  volunteer_for_memory();
  start_watching();
}

std::optional<std::string> HostChannel::receive(double seconds) {
  const Deadline deadline(seconds);
  for (;;) {
    if (auto payload = reader_.next()) return payload;
    if (reader_.broken()) return {};
    const ssize_t count = recv(kChannelDescriptor, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count > 0) {
      reader_.feed({buffer_.data(), static_cast<std::size_t>(count)});
      continue;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR) || deadline.passed()) return {};
    pollfd channel{kChannelDescriptor, POLLIN, 0};
    poll(&channel, 1, deadline.milliseconds());
  }
}

void HostChannel::send(std::string_view payload) {
  if (getpid() != pid_) {
    std::fputs("the plugin forked, and its child went on as the worker\n", stderr);
    kill(0, SIGKILL);
  }
  const std::string bytes = frame(payload);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t count = ::send(kChannelDescriptor, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // a plugin made it non-blocking
      pollfd channel{kChannelDescriptor, POLLOUT, 0};
      poll(&channel, 1, -1);
    } else if (errno != EINTR) {
      if (errno == EBADF || errno == ENOTSOCK) end_without_channel();
      end_group();
    }
  }
}

}  // namespace xpose
