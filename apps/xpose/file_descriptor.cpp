#include "file_descriptor.hpp"

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
      return "; the kernel's log (dmesg) says more of the disk";
    case ENOSPC:
    case EDQUOT:
      return "; make room there, or write elsewhere";
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

void fail(const std::string& name, const std::string& what, int error) {
  throw std::runtime_error(name + ": " + what + ": " + std::generic_category().message(error) +
                           remedy(error));
}

}  // namespace xpose::app
