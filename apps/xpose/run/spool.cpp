#include "run/spool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "output/progress_line.hpp"
#include "output/temporary_file.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kInMemory = std::uint64_t{32} << 20;

std::string progress_text(std::uint64_t bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), ": %.2f GB read", static_cast<double>(bytes) / 1e9);
  return text.data();
}

// A file on the disk that begins with the bytes of another.
FileDescriptor on_disk(int small, std::vector<char>& block, const std::string& name) {
  FileDescriptor disk = disk_spool(name);
  lseek(small, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(small, block.data(), block.size())) > 0;)
    write_text(disk.get(), {block.data(), static_cast<std::size_t>(got)}, name, not_kept());
  return disk;
}

}  // namespace

std::filesystem::path spool_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

std::string not_kept() {
  return "cannot be kept in a temporary file in " + spool_folder().string() +
         " ($TMPDIR names another folder)";
}

FileDescriptor disk_spool(const std::string& name) {
  if (access((spool_folder() / ".").c_str(), W_OK | X_OK) != 0) fail(name, not_kept(), errno);
  const TemporaryFile file(spool_folder() / std::filesystem::path(name).filename());
  FileDescriptor disk(fcntl(file.fd(), F_DUPFD_CLOEXEC, 0));
  if (disk.get() < 0) fail(name, not_kept(), errno);
  return disk;
}

FileDescriptor spooled(int from, const std::string& name) {
  FileDescriptor kept(memfd_create("xpose", MFD_CLOEXEC));
  if (kept.get() < 0) fail(name, not_kept(), errno);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t bytes = 0;
  bool is_small = true;
  ProgressLine line(name);
  while (true) {
    line.show(progress_text(bytes));
    const ssize_t got = read(from, block.data(), block.size());
    if (got < 0 && may_try_again(from, POLLIN)) continue;
    if (got < 0) fail(name, "cannot be read", errno);
    if (got == 0) return kept;
    write_text(kept.get(), {block.data(), static_cast<std::size_t>(got)}, name, not_kept());
    bytes += static_cast<std::uint64_t>(got);
    if (!is_small || bytes <= kInMemory) continue;
    is_small = false;
    kept = on_disk(kept.get(), block, name);
  }
}

}  // namespace xpose::app
