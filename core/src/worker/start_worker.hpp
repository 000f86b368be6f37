// Starts a worker with its channel and a pipe for its output.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "process/descriptor.hpp"

namespace xpose {

// The host's end of each; all lie above the descriptors that the worker's become.
struct StartedWorker {
  pid_t pid = -1;
  Descriptor process;  // none where the kernel has no process descriptors
  Descriptor channel;
  Descriptor output;  // does not block
};

// The worker leads a process group of its own, with every signal as a program expects it,
// /dev/null as input, and no descriptor but 0 to 2 and the channel. Throws Error failed, saying
// what to install, or no_memory.
StartedWorker start_worker(const std::filesystem::path& executable);

}  // namespace xpose
