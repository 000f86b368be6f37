#include "device/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <thread>

namespace xpose {
namespace {

std::string file_name(const std::string& device) {
  std::string name = device.substr(0, 100);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  return "xpose-" + name + ".lock";
}

int open_file(const std::filesystem::path& file) {
  // No link that another user put there, and no waiting for a named pipe.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  // The kernel refuses O_CREAT on another user's file in a sticky folder (fs.protected_regular), so
  // that an existing file is opened without.
  const int existing = ::open(file.c_str(), kFlags);
  if (existing >= 0 || errno != ENOENT) return existing;
  const int created = ::open(file.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
  if (created < 0) return ::open(file.c_str(), kFlags);  // another process was faster
  ::fchmod(created, 0666);                               // whatever the umask
  return created;
}

}  // namespace

std::filesystem::path lock_folder() {
  constexpr mode_t kShared = S_IFDIR | S_ISVTX | S_IWOTH;
  struct stat status {};
  const bool shared = ::stat("/run/lock", &status) == 0 && (status.st_mode & kShared) == kShared;
  return shared ? "/run/lock" : "/tmp";
}

DeviceLock::DeviceLock(const std::string& device, double seconds,
                       const std::function<bool()>& waiting, const std::filesystem::path& folder)
    : file_(open_file(folder / file_name(device))) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (held() && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const bool busy = errno == EWOULDBLOCK;  // else the file system has no locks
    waited_ = waited_ || busy;
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (busy && passed.count() < seconds && (!waiting || waiting()))
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    else
      file_ = Descriptor();
  }
}

}  // namespace xpose
