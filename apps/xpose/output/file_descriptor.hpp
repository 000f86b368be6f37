// An open file that closes itself, and the sentences of its system calls.
#pragma once

#include <string>
#include <string_view>

namespace xpose::app {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Opens standard descriptors that are closed. Otherwise a file would take their place, and messages
// would get into it. Reading from them and writing to them fails, as before. For the
// beginning of a program. Throws std::runtime_error.
void occupy_standard_descriptors();

// Whether a call that ended with errno may be made again. A pipe that another program has made
// non-blocking is waited for: until there are bytes (POLLIN) or room (POLLOUT).
bool may_try_again(int fd, short events);

// Writes all of the text. Throws std::runtime_error with the name and the failure.
void write_text(int fd, std::string_view text, const std::string& name,
                const std::string& failure = "cannot be written");

// Throws std::runtime_error: "NAME: WHAT: the error's message", with a remedy where there is one.
[[noreturn]] void fail(const std::string& name, const std::string& what, int error);

}  // namespace xpose::app
