#include "output/file_descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace xpose::app {
namespace {

const char* remedy(int error) {
  switch (error) {
    case EIO:
      return "; the kernel's log (dmesg) has the details";
    case ENOSPC:
    case EDQUOT:
      return "; make room there, or write elsewhere";
    case EFBIG:
      return "; raise the limit on the size of files (`ulimit -f`), or write to a file system that "
             "has larger ones";
    case EMFILE:
    case ENFILE:
      return "; raise the limit on open files (`ulimit -n`)";
    default:
      return "";
  }
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

void occupy_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int wrong_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", wrong_way) < 0) fail("/dev/null", "cannot be opened", errno);
  }
}

bool may_try_again(int fd, short events) {
  if (errno != EAGAIN) return errno == EINTR;
  pollfd ready = {fd, events, 0};
  return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

void write_text(int fd, std::string_view text, const std::string& name,
                const std::string& failure) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && may_try_again(fd, POLLOUT)) continue;
    if (written < 0) fail(name, failure, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void fail(const std::string& name, const std::string& what, int error) {
  throw std::runtime_error(name + ": " + what + ": " + std::generic_category().message(error) +
                           remedy(error));
}

}  // namespace xpose::app
