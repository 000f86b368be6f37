#include "worker/worker_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "process/deadline.hpp"
#include "process/descriptor.hpp"
#include "worker/frame.hpp"
#include "worker/output_tail.hpp"
#include "worker/start_worker.hpp"

namespace xpose {
namespace {

// Workers that did not die in time. Leaked, so that it outlives every static object.
struct LeftBehind {
  std::mutex mutex;
  std::vector<pid_t> pids;
};
LeftBehind& left_behind() {
  static auto* const workers = new LeftBehind;
  return *workers;
}

void reap_left_behind() {
  const std::lock_guard lock(left_behind().mutex);
  std::erase_if(left_behind().pids, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

// Whether this is a child of ours, dead or alive, so that nothing else can bear its number.
bool is_ours(pid_t pid, bool* dead = nullptr) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
  if (dead != nullptr) *dead = info.si_pid == pid;
  return true;
}

}  // namespace

std::string to_string(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::exited:
      return "exit status " + std::to_string(end.code);
    case ProcessEnd::Kind::signalled: {
      const char* description = sigdescr_np(end.code);
      return "signal " + std::to_string(end.code) +
             (description == nullptr ? "" : " (" + std::string(description) + ")");
    }
    case ProcessEnd::Kind::unknown:
      break;
  }
  return "unknown status";
}

struct WorkerProcess::Impl {
  // Waits for events on the channel (0: not even its end), output or the worker's end; takes the
  // output. Whether the worker was dead: then all it ever sent is there to be read.
  bool wait(short events, int milliseconds);
  bool take_output();
  void take_all_output();
  bool take_message_bytes();
  void signal_group() const;
  ProcessEnd reap(const Deadline& deadline) const;

  pid_t pid = -1;
  pid_t host = getpid();
  Descriptor channel, output, process;
  FrameReader reader;
  OutputTail tail;
  std::vector<char> buffer = std::vector<char>(64 << 10);
  bool listens = true;
  bool talks = true;
  std::optional<ProcessEnd> end;
};

bool WorkerProcess::Impl::wait(short events, int milliseconds) {
  enum { on_channel, on_output, on_process };
  std::array<pollfd, 3> watched{{{events == 0 ? -1 : channel.get(), events, 0},
                                 {output.get(), POLLIN, 0},
                                 {process.get(), POLLIN, 0}}};
  if (process.get() < 0) milliseconds = std::min(milliseconds, 5);
  poll(watched.data(), watched.size(), milliseconds);
  if (watched[on_output].revents != 0) take_output();
  if (process.get() >= 0) return watched[on_process].revents != 0;
  bool dead = false;
  return !is_ours(pid, &dead) || dead;
}

// One read, so that a flood cannot hold up anything else. False: there was nothing.
bool WorkerProcess::Impl::take_output() {
  const ssize_t count = read(output.get(), buffer.data(), buffer.size());
  if (count > 0) tail.add({buffer.data(), static_cast<std::size_t>(count)});
  if (count == 0) output = Descriptor();  // else poll would report its end for ever
  return count > 0;
}

void WorkerProcess::Impl::take_all_output() {
  // As much as the largest pipe holds: a child that escaped may still be writing.
  for (int reads = 0; reads < 16 && take_output(); ++reads) continue;
}

// False: there was nothing.
bool WorkerProcess::Impl::take_message_bytes() {
  const ssize_t count = recv(channel.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) reader.feed({buffer.data(), static_cast<std::size_t>(count)});
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) talks = false;
  return count > 0;
}

void WorkerProcess::Impl::signal_group() const {
  if (is_ours(pid)) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);  // it may have left its group
    return;
  }
  // Reaped behind our back, so that the number may be another group's by now: only a process
  // descriptor still means the right one (Linux 6.9; before, children it left live on).
  constexpr unsigned kProcessGroup = 1U << 2;  // PIDFD_SIGNAL_PROCESS_GROUP
  syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, kProcessGroup);
}

ProcessEnd WorkerProcess::Impl::reap(const Deadline& deadline) const {
  for (;;) {
    int status = 0;
    const pid_t reaped = waitpid(pid, &status, WNOHANG);
    if (reaped == pid && WIFEXITED(status)) return {ProcessEnd::Kind::exited, WEXITSTATUS(status)};
    if (reaped == pid && WIFSIGNALED(status))  // else it has stopped, with us as its tracer
      return {ProcessEnd::Kind::signalled, WTERMSIG(status)};
    if (reaped < 0) return {};
    if (deadline.passed()) break;
    poll(nullptr, 0, 1);
  }
  const std::lock_guard lock(left_behind().mutex);
  left_behind().pids.push_back(pid);
  return {};
}

WorkerProcess::WorkerProcess(const std::filesystem::path& executable)
    : impl_(std::make_unique<Impl>()) {
  reap_left_behind();
  StartedWorker started = start_worker(executable);
  impl_->pid = started.pid;
  impl_->process = std::move(started.process);
  impl_->channel = std::move(started.channel);
  impl_->output = std::move(started.output);
}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::send(std::string_view payload, double seconds) {
  const Deadline deadline(seconds);
  const std::string bytes = frame(payload);
  std::string_view rest = bytes;
  while (impl_->listens && !rest.empty()) {
    const ssize_t count =
        ::send(impl_->channel.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if ((errno != EAGAIN && errno != EINTR) || deadline.passed() ||
               impl_->wait(POLLOUT, deadline.milliseconds())) {
      impl_->listens = false;  // half a frame may be on its way: nothing can follow it
    }
  }
  return impl_->listens;
}

WorkerProcess::Reply WorkerProcess::receive(double seconds) {
  const Deadline deadline(seconds);
  for (bool late = false;;) {
    if (auto payload = impl_->reader.next()) return {Heard::message, std::move(*payload)};
    if (impl_->reader.broken()) return {Heard::garbage, {}};
    if (!impl_->talks) return {Heard::ended, {}};
    if (late) return {Heard::late, {}};
    const bool last_look = deadline.passed();
    const bool dead = impl_->wait(POLLIN, deadline.milliseconds());
    const bool took = impl_->take_message_bytes();
    if (dead && !took) impl_->talks = false;
    late = last_look && !dead;
  }
}

void WorkerProcess::stop_asking() {
  shutdown(impl_->channel.get(), SHUT_WR);
  impl_->listens = false;
}

bool WorkerProcess::has_ended(double seconds) {
  const Deadline deadline(seconds);
  while (!impl_->end && !impl_->wait(0, deadline.milliseconds()))
    if (deadline.passed()) return false;
  return true;
}

ProcessEnd WorkerProcess::kill(double seconds) {
  if (impl_->host != getpid()) return {};
  reap_left_behind();
  if (!impl_->end) {
    impl_->signal_group();
    impl_->end = impl_->reap(Deadline(seconds));
    impl_->take_all_output();
  }
  return *impl_->end;
}

pid_t WorkerProcess::pid() const { return impl_->pid; }

std::string WorkerProcess::last_words() {
  impl_->take_all_output();
  return impl_->tail.line();
}

}  // namespace xpose
