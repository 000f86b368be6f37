#include "mapped_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <system_error>

namespace xpose::app {
namespace {

// The path that a signal handler removes; empty: none.
std::array<char, PATH_MAX> pending_path;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  throw std::runtime_error(path.string() + ": " + what + ": " +
                           std::generic_category().message(error));
}

// Holds back the signals that end the program from the calling thread.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;  // restores once
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

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

std::uint64_t regular_file_size(int fd, const std::filesystem::path& path) {
  const struct stat status = stat_of(fd, path);
  if (S_ISDIR(status.st_mode))
    throw std::runtime_error(path.string() + " is a folder: name a .npy file");
  if (!S_ISREG(status.st_mode))
    throw std::runtime_error(path.string() +
                             " is not a regular file: xpose maps its input and cannot read a pipe "
                             "or a device");
  return static_cast<std::uint64_t>(status.st_size);
}

// Where the new file goes: the target, or the file that it links to.
std::filesystem::path resolved_target(const std::filesystem::path& target) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status))
    throw std::runtime_error(target.string() + " is a folder: name the file to write");
  if (!std::filesystem::exists(status)) return target;
  if (!std::filesystem::is_regular_file(status))
    throw std::runtime_error(target.string() +
                             " is not a regular file: xpose renames its output into place and "
                             "cannot write to a pipe or a device");
  return std::filesystem::is_symlink(target, error) ? std::filesystem::canonical(target) : target;
}

// The permissions of the file that is replaced, or those of a new file.
mode_t mode_for(const std::filesystem::path& target) {
  struct stat status {};
  if (stat(target.c_str(), &status) == 0) return status.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
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

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

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
      mapping_(path, file_.get(), regular_file_size(file_.get(), path), PROT_READ) {}

PendingOutput::TemporaryFile::TemporaryFile(const std::filesystem::path& target)
    : path_([&] {
        std::string path = target.string() + ".xpose-XXXXXX";
        if (path.size() >= pending_path.size()) fail(target, "cannot be written", ENAMETOOLONG);
        return path;
      }()),
      file_([&] {
        const SignalsHeld held;  // between the file and the record of its name
        const int fd = mkostemp(path_.data(), O_CLOEXEC);
        if (fd < 0) fail(target, "cannot be written", errno);
        *std::ranges::copy(path_, pending_path.begin()).out = '\0';
        return fd;
      }()) {}

PendingOutput::TemporaryFile::~TemporaryFile() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  pending_path.front() = '\0';
}

void PendingOutput::TemporaryFile::rename_to(const std::filesystem::path& target) {
  if (rename(path_.c_str(), target.c_str()) != 0) fail(target, "cannot be replaced", errno);
  pending_path.front() = '\0';
  path_.clear();
}

PendingOutput::PendingOutput(const std::filesystem::path& target, std::uint64_t bytes)
    : target_(resolved_target(target)),
      mode_(mode_for(target_)),
      temporary_(target_),
      mapping_(target_, temporary_.fd(), reserved(temporary_.fd(), bytes, target_),
               PROT_READ | PROT_WRITE) {}

void PendingOutput::commit() {
  const std::span<std::byte> bytes = mapping_.bytes();
  if (msync(bytes.data(), bytes.size(), MS_SYNC) != 0 || fsync(temporary_.fd()) != 0)
    fail(target_, "cannot be written to the disk", errno);
  if (fchmod(temporary_.fd(), mode_) != 0) fail(target_, "cannot set its permissions", errno);
  temporary_.rename_to(target_);
}

void unlink_pending_output() noexcept {
  if (pending_path.front() != '\0') unlink(pending_path.data());
}

}  // namespace xpose::app
