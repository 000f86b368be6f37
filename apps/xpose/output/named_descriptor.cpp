#include "output/named_descriptor.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

namespace xpose::app {
namespace {

constexpr int kMostLinks = 40;  // the kernel's limit

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_whole = error == std::errc() && end == name.data() + name.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// Links are followed up to the descriptor's own, which leads to the file behind it.
std::optional<int> descriptor_of(std::filesystem::path path) {
  std::error_code failure;
  const std::filesystem::path own = std::filesystem::canonical("/proc/self/fd", failure);
  for (int links = 0; !failure && links < kMostLinks; ++links) {
    const std::filesystem::path folder =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (std::filesystem::canonical(folder, failure) == own) return number_of(path.filename());
    path = folder / std::filesystem::read_symlink(path, failure);
  }
  return std::nullopt;
}

}  // namespace

bool is_named_descriptor(const std::filesystem::path& path) {
  return descriptor_of(path).has_value();
}

FileDescriptor opened_stream(const std::filesystem::path& path, const std::string& name) {
  const std::optional<int> named = descriptor_of(path);
  FileDescriptor stream(named ? fcntl(*named, F_DUPFD_CLOEXEC, 0)
                              : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (stream.get() < 0) fail(name, "cannot be written", errno);
  return stream;
}

}  // namespace xpose::app
