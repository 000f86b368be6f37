#include "worker/start_worker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <xpose/problem.hpp>

#include "process/descriptor.hpp"
#include "worker/frame.hpp"

namespace xpose {
namespace {

[[noreturn]] void fail(const std::filesystem::path& executable, int error) {
  const bool not_there = error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR;
  throw Error(
      error == ENOMEM ? ErrorKind::no_memory : ErrorKind::failed,
      "cannot start the worker " + executable.string() + ": " +
          std::generic_category().message(error) +
          (not_there ? "; install xpose-trial there, or set XPOSE_TRIAL to where it is"
           : lacks_descriptor(error) ? std::string("; ") + kMoreDescriptors
                                     : "; raise the limits on processes, open files and memory"));
}

// Both ends of the channel and of the pipe for its output.
struct Ends {
  Descriptor channel, worker_channel, output, worker_output;
};

// Above what the child's descriptors become, since a host may run with some of 0 to 3 closed: a
// print of the host's would end up in the channel, and dup2 onto itself keeps close-on-exec.
Descriptor moved_up(Descriptor original) {
  if (original.get() < 0 || original.get() > kChannelDescriptor) return original;
  return Descriptor(fcntl(original.get(), F_DUPFD_CLOEXEC, kChannelDescriptor + 1));
}

Ends open_ends(const std::filesystem::path& executable) {
  const auto end = [&](int number) {
    Descriptor moved = moved_up(Descriptor(number));
    if (moved.get() < 0) fail(executable, errno);
    return moved;
  };
  Ends ends;
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) fail(executable, errno);
  ends.channel = end(pair[0]);
  ends.worker_channel = end(pair[1]);
  if (pipe2(pair.data(), O_CLOEXEC) != 0) fail(executable, errno);
  ends.output = end(pair[0]);
  ends.worker_output = end(pair[1]);
  fcntl(ends.output.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

class SpawnOptions {
 public:
  SpawnOptions() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnOptions() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  SpawnOptions(const SpawnOptions&) = delete;  // owns what the C library allocated
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

pid_t spawn(const std::filesystem::path& executable, int channel, int output) {
  const auto check = [&](int error) {
    if (error != 0) fail(executable, error);
  };
  SpawnOptions options;
  auto* actions = &options.actions;
  check(posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
  check(posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO));
  check(posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO));
  check(posix_spawn_file_actions_adddup2(actions, channel, kChannelDescriptor));
  check(posix_spawn_file_actions_addclosefrom_np(actions, kChannelDescriptor + 1));

  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&options.attributes, 0);
  posix_spawnattr_setsigmask(&options.attributes, &none);
  posix_spawnattr_setsigdefault(&options.attributes, &all);
  posix_spawnattr_setflags(&options.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::string name = executable.string();
  const std::array<char*, 2> arguments{name.data(), nullptr};
  pid_t pid = -1;
  check(posix_spawn(&pid, name.c_str(), actions, &options.attributes, arguments.data(), environ));
  return pid;
}

}  // namespace

StartedWorker start_worker(const std::filesystem::path& executable) {
  Ends ends = open_ends(executable);
  const pid_t pid = spawn(executable, ends.worker_channel.get(), ends.worker_output.get());
  return {pid, moved_up(open_process(pid)), std::move(ends.channel), std::move(ends.output)};
}

}  // namespace xpose
