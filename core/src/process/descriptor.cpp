#include "process/descriptor.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace xpose {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

bool lacks_descriptor(int error) { return error == EMFILE || error == ENFILE; }

Descriptor open_process(pid_t pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace xpose
