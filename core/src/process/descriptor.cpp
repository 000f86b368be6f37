#include "process/descriptor.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace xpose {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor open_process(pid_t pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace xpose
