#include "output/standard_streams.hpp"

#include <unistd.h>

#include <exception>
#include <iostream>
#include <string_view>
#include <utility>

#include "output/file_descriptor.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kMost = 4096;  // bytes that are collected, but on a terminal: a line

}  // namespace

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize size) {
  const std::string_view added(text, static_cast<std::size_t>(size));
  text_ += added;
  const bool is_due = text_.size() >= kMost || (added.find('\n') != added.npos && isatty(fd_) != 0);
  return is_due && sync() != 0 ? 0 : size;
}

// Text that cannot be written is dropped, and the stream has failed.
int DescriptorBuffer::sync() {
  const std::string text = std::exchange(text_, {});
  try {
    write_text(fd_, text, "");
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

StandardStreams::StandardStreams()
    : out_(STDOUT_FILENO),
      error_(STDERR_FILENO),
      out_before_(std::cout.rdbuf(&out_)),
      error_before_(std::cerr.rdbuf(&error_)) {}

StandardStreams::~StandardStreams() {
  std::cout.flush();
  std::cerr.flush();
  std::cout.rdbuf(out_before_);
  std::cerr.rdbuf(error_before_);
}

}  // namespace xpose::app
