// A child process that talks over a channel: started, watched, heard and ended. No other class
// makes process calls.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace xpose {

// How a process ended.
struct ProcessEnd {
  // unknown: not reaped in time, or the host's own handling of SIGCHLD took its status
  enum class Kind { exited, signalled, unknown } kind = Kind::unknown;
  int code = 0;  // exit status or signal number
};
std::string to_string(const ProcessEnd& end);  // "exit status 3", "signal 11 (Segmentation fault)"

// The worker runs in a process group of its own, with /dev/null as input, its output and errors
// kept as a short tail, its channel on descriptor 3, and no other descriptor of ours. Its program
// talks through a HostChannel. [one thread at a time]
class WorkerProcess {
 public:
  // Starts `executable` with posix_spawn. Throws Error failed, saying what to install.
  explicit WorkerProcess(const std::filesystem::path& executable);
  // Ends it: kill(), whatever state it is in.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;  // owns the child
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends a payload as one frame. False, and then for good, where the worker no longer listens or
  // does not read within `seconds`; never raises SIGPIPE. Throws Error invalid for a payload over
  // max_frame.
  bool send(std::string_view payload, double seconds);

  enum class Heard { message, ended, late, garbage };
  struct Reply {
    Heard heard = Heard::ended;
    std::string payload;
  };
  // The next payload. `ended`: the worker is dead or has closed its channel, and everything that it
  // sent was heard; a child that it left behind does not keep us waiting. Keeps draining the
  // worker's output meanwhile, so that a flood cannot block it and costs no more memory than the
  // tail.
  Reply receive(double seconds);

  // Nothing more will be asked: for the worker its channel has come to its end.
  void stop_asking();

  // Whether the worker ends by itself within `seconds`. Takes its output meanwhile.
  bool has_ended(double seconds);

  // Ends the whole process group with SIGKILL and reaps the worker, waiting at most `seconds`; a
  // worker stuck in the kernel is left behind and reaped at a later call of any WorkerProcess.
  // Says how it ended: where it ended by itself before, that. In a fork of the host it does
  // nothing: the worker is not its child.
  ProcessEnd kill(double seconds = 5);

  pid_t pid() const;

  // The end of what it wrote to stdout and stderr: at most 2 KiB of UTF-8, control characters
  // replaced by spaces, lines joined by " | ".
  std::string last_words();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xpose
