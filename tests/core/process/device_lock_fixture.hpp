// What tests of the lock share: a folder of their own for its file, and child processes.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "../../temporary_folder.hpp"
#include "process/device_lock.hpp"

namespace xpose {

constexpr double kForever = std::numeric_limits<double>::infinity();
inline const auto kGoOn = [] { return true; };

class DeviceLockTest : public testing::Test {
 protected:
  // Tries once.
  DeviceLock take(const std::string& device = "host") const {
    return DeviceLock(device, 0, kGoOn, folder);
  }
  std::filesystem::path file() const { return folder / "xpose-host.lock"; }

  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

// A child process that runs the body and exits 0 where that is true; killed if it still lives.
class Child {
 public:
  explicit Child(const std::function<bool()>& body) : pid_(fork()) {
    if (pid_ == 0) _exit(body() ? 0 : 1);
  }
  ~Child() { kill(); }
  Child(const Child&) = delete;  // owns the process
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = -1;
    if (pid_ > 0) waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }

 private:
  pid_t pid_;
};

}  // namespace xpose
