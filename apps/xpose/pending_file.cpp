#include "pending_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace xpose::app {
namespace {

// The path that a signal handler removes; empty: none.
std::array<char, PATH_MAX> pending_path;

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

}  // namespace

PendingFile::PendingFile(const std::filesystem::path& target)
    : target_(resolved_target(target)),
      mode_(mode_for(target_)),
      path_([&] {
        std::string path = target_.string() + ".xpose-XXXXXX";
        if (path.size() >= pending_path.size())
          fail(target_.string(), "cannot be written", ENAMETOOLONG);
        return path;
      }()),
      file_([&] {
        const SignalsHeld held;  // between the file and the record of its name
        const int fd = mkostemp(path_.data(), O_CLOEXEC);
        if (fd < 0) fail(target_.string(), "cannot be written", errno);
        *std::ranges::copy(path_, pending_path.begin()).out = '\0';
        return fd;
      }()) {}

PendingFile::~PendingFile() {
  if (path_.empty()) return;
  unlink(path_.c_str());
  pending_path.front() = '\0';
}

void PendingFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(target_.string(), "cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PendingFile::commit() {
  if (fsync(file_.get()) != 0) fail(target_.string(), "cannot be written to the disk", errno);
  if (fchmod(file_.get(), mode_) != 0) fail(target_.string(), "cannot set its permissions", errno);
  if (rename(path_.c_str(), target_.c_str()) != 0)
    fail(target_.string(), "cannot be replaced", errno);
  pending_path.front() = '\0';
  path_.clear();
}

void unlink_pending_output() noexcept {
  if (pending_path.front() != '\0') unlink(pending_path.data());
}

}  // namespace xpose::app
