// The worker's side of its channel to the host, on descriptor 3.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/frame.hpp"

namespace xpose {

// One a process. [one thread at a time]
class HostChannel {
 public:
  // Forbids core files, lets the kernel end this process first when memory runs out, and starts a
  // thread that ends the whole process group when the host goes away, whatever the rest of the
  // process is doing. Throws Error failed where descriptor 3 is no socket: the program was started
  // by hand.
  HostChannel();
  HostChannel(const HostChannel&) = delete;  // half a frame may have been read
  HostChannel& operator=(const HostChannel&) = delete;

  // Waits at most `seconds` for a request; nothing: the host has closed the channel, sent garbage,
  // or had nothing to say in that time.
  std::optional<std::string> receive(double seconds);
  // A host that is gone ends this process and its group, as does a fork that calls it: a plugin's,
  // which went on as the worker.
  void send(std::string_view payload);

 private:
  FrameReader reader_;
  std::vector<char> buffer_ = std::vector<char>(64U << 10);
  pid_t pid_;  // a fork of this process has no say
};

}  // namespace xpose
