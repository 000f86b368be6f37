#include "file_descriptor.hpp"

#include <unistd.h>

#include <stdexcept>
#include <system_error>
#include <utility>

namespace xpose::app {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

void fail(const std::string& name, const std::string& what, int error) {
  throw std::runtime_error(name + ": " + what + ": " + std::generic_category().message(error));
}

}  // namespace xpose::app
