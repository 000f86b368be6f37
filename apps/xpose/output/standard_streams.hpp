// std::cout and std::cerr for descriptors that another program may have made non-blocking.
#pragma once

#include <ios>
#include <streambuf>
#include <string>

namespace xpose::app {

// Collects a stream's text and writes it to a descriptor, for which it waits where that has no
// room.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int fd) : fd_(fd) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  int fd_;
  std::string text_;  // still to be written
};

// While this lives, std::cout and std::cerr write so. For the beginning of a program.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;  // gives the streams their own buffers back
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  DescriptorBuffer out_;
  DescriptorBuffer error_;
  std::streambuf* out_before_;
  std::streambuf* error_before_;
};

}  // namespace xpose::app
