#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace xpose::app {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  throw std::runtime_error(path.string() + ": " + what + ": " +
                           std::generic_category().message(error));
}

struct stat stat_of(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) fail(path, "cannot be examined", errno);
  return status;
}

// Not blocking, so that a named pipe is refused rather than waited for.
int opened_for_reading(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(path, "cannot be read", errno);
  return fd;
}

struct stat regular_file(int fd, const std::filesystem::path& path) {
  const struct stat status = stat_of(fd, path);
  if (S_ISDIR(status.st_mode))
    throw std::runtime_error(path.string() + " is a folder: name a .npy file");
  if (!S_ISREG(status.st_mode))
    throw std::runtime_error(path.string() +
                             " is not a regular file: xpose maps its input and cannot read a pipe "
                             "or a device");
  return status;
}

// fallocate rather than posix_fallocate, which writes to every block where the file system cannot
// reserve.
std::uint64_t reserved(int fd, std::uint64_t bytes, const std::filesystem::path& target) {
  const auto size = static_cast<off_t>(bytes);
  int result = 0;
  do {
    result = fallocate(fd, 0, 0, size);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EOPNOTSUPP) result = ftruncate(fd, size);
  if (result != 0) fail(target, "cannot reserve its " + std::to_string(bytes) + " bytes", errno);
  return bytes;
}

}  // namespace

Mapping::Mapping(const std::filesystem::path& path, int fd, std::uint64_t bytes, int access)
    : access_(access) {
  if (bytes == 0) return;
  void* const memory = mmap(nullptr, bytes, access, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) fail(path, "cannot map its " + std::to_string(bytes) + " bytes", errno);
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void Mapping::populate() const {
  const int advice = (access_ & PROT_WRITE) != 0 ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  if (!bytes_.empty()) madvise(bytes_.data(), bytes_.size(), advice);  // older kernels refuse
}

MappedInput::MappedInput(const std::filesystem::path& path)
    : file_(opened_for_reading(path)),
      opened_(regular_file(file_.get(), path)),
      mapping_(path, file_.get(), static_cast<std::uint64_t>(opened_.st_size), PROT_READ) {}

void MappedInput::check_unchanged(const std::filesystem::path& path) const {
  const struct stat now = stat_of(file_.get(), path);
  if (now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec)
    throw std::runtime_error(path.string() +
                             ": was changed while it was read; run again once it is whole");
}

PendingOutput::PendingOutput(const std::filesystem::path& target, std::uint64_t bytes)
    : file_(target),
      mapping_(file_.target(), file_.fd(), reserved(file_.fd(), bytes, file_.target()),
               PROT_READ | PROT_WRITE) {}

void PendingOutput::commit() {
  const std::span<std::byte> bytes = mapping_.bytes();
  if (msync(bytes.data(), bytes.size(), MS_SYNC) != 0)
    fail(file_.target(), "cannot be written to the disk", errno);
  file_.commit();
}

}  // namespace xpose::app
