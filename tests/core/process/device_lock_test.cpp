#include "process/device_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace xpose {
namespace {

namespace fs = std::filesystem;

constexpr double kForever = std::numeric_limits<double>::infinity();
const auto go_on = [] { return true; };

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "xpose_lock_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;  // owns the folder on disk
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class DeviceLockTest : public testing::Test {
 protected:
  // Tries once.
  DeviceLock take(const std::string& device = "host") const {
    return DeviceLock(device, 0, go_on, folder);
  }
  fs::path file() const { return folder / "xpose-host.lock"; }

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
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

// A child that holds the lock until it is killed; when this returns it has it.
class Holder {
 public:
  explicit Holder(const fs::path& folder) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    child_ = std::make_unique<Child>([&] {
      const DeviceLock lock("host", 0, go_on, folder);
      if (!lock.held() || write(ends[1], "x", 1) != 1) return false;
      for (;;) pause();
    });
    close(ends[1]);
    char byte = 0;
    has_it_ = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
  }
  bool has_it() const { return has_it_; }
  void kill() { child_->kill(); }

 private:
  std::unique_ptr<Child> child_;
  bool has_it_ = false;
};

TEST_F(DeviceLockTest, IsTakenAndLetGo) {
  for (int i = 0; i < 2; ++i) {
    const DeviceLock lock = take();
    EXPECT_TRUE(lock.held());
    EXPECT_FALSE(lock.waited());
  }
}

TEST_F(DeviceLockTest, IsOnePerDevice) {
  const DeviceLock host = take("host");
  EXPECT_TRUE(take("GPU-1").held());
  EXPECT_FALSE(take("host").held());
}

TEST_F(DeviceLockTest, AnyTextNamesADevice) {
  EXPECT_TRUE(take("../a b\n").held());
  EXPECT_TRUE(fs::exists(folder / "xpose-.._a_b_.lock"));
  EXPECT_TRUE(take(std::string(5000, 'x')).held());
}

TEST_F(DeviceLockTest, AProcessThatIsKilledLetsGo) {
  Holder holder(folder);
  ASSERT_TRUE(holder.has_it());
  const DeviceLock before = take();
  EXPECT_FALSE(before.held());
  EXPECT_TRUE(before.waited());
  holder.kill();
  EXPECT_TRUE(take().held());
}

TEST_F(DeviceLockTest, WaitsUntilItIsFree) {
  Holder holder(folder);
  ASSERT_TRUE(holder.has_it());
  int asked = 0;
  const DeviceLock lock(
      "host", kForever,
      [&] {
        if (++asked == 3) holder.kill();
        return true;
      },
      folder);
  EXPECT_TRUE(lock.held());
  EXPECT_TRUE(lock.waited());
  EXPECT_EQ(asked, 3);
}

TEST_F(DeviceLockTest, StopsWaitingWhenTold) {
  const DeviceLock other = take();
  int asked = 0;
  const DeviceLock lock(
      "host", kForever, [&] { return ++asked < 2; }, folder);
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(lock.waited());
  EXPECT_EQ(asked, 2);
}

TEST_F(DeviceLockTest, GoesOnWithoutWhenTheTimeIsOver) {
  const DeviceLock other = take();
  int asked = 0;
  const DeviceLock lock(
      "host", 0.25, [&] { return ++asked > 0; }, folder);
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(lock.waited());
  EXPECT_LE(asked, 3);  // at 0, 0.1 and 0.2 seconds, or later and less often
}

TEST_F(DeviceLockTest, NeedsNobodyToAsk) {
  const DeviceLock other = take();
  EXPECT_FALSE(DeviceLock("host", 0.05, nullptr, folder).held());
}

TEST_F(DeviceLockTest, ClosesItsFileWhenTheCallbackThrows) {
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const DeviceLock other = take();
  const auto before = descriptors();
  const auto fail = []() -> bool { throw std::runtime_error("stop"); };
  EXPECT_THROW(DeviceLock("host", kForever, fail, folder), std::runtime_error);
  EXPECT_EQ(descriptors(), before);
}

TEST_F(DeviceLockTest, NeverHeldByTwoProcesses) {
  struct Shared {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> turns{0};
  };
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* shared = new (memory) Shared;
  {
    const auto take_turns = [&] {
      for (int turn = 0; turn < 3; ++turn) {
        const DeviceLock lock("host", kForever, go_on, folder);
        if (!lock.held()) return false;
        const int inside = ++shared->inside;
        if (inside > 1) shared->most = inside;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // let the others try
        --shared->inside;
        ++shared->turns;
      }
      return true;
    };
    std::array<std::unique_ptr<Child>, 6> children;
    for (auto& child : children) child = std::make_unique<Child>(take_turns);
    for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
  }
  EXPECT_EQ(shared->most, 0);
  EXPECT_EQ(shared->turns, 18);
  munmap(memory, sizeof(Shared));
}

TEST_F(DeviceLockTest, AProgramThatIsStartedDoesNotInheritIt) {
  int to[2];
  int from[2];
  ASSERT_EQ(pipe(to), 0);
  ASSERT_EQ(pipe(from), 0);
  auto lock = std::make_unique<DeviceLock>("host", 0, go_on, folder);
  ASSERT_TRUE(lock->held());
  Child cat([&] {
    dup2(to[0], 0);
    dup2(from[1], 1);
    close(to[1]);
    execlp("cat", "cat", nullptr);
    return false;
  });
  char byte = 'x';
  ASSERT_EQ(write(to[1], &byte, 1), 1);
  ASSERT_EQ(read(from[0], &byte, 1), 1);  // the program runs
  lock.reset();
  EXPECT_TRUE(take().held());
  for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
}

TEST_F(DeviceLockTest, EveryUserCanOpenItsFile) {
  const mode_t before = umask(077);
  EXPECT_TRUE(take().held());
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666U);
}

TEST_F(DeviceLockTest, MeetsAnotherUserInASharedFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  fs::permissions(folder, fs::perms(01777));
  const auto as_stranger = [&](bool expected) {
    return Child([&] { return setuid(65534) == 0 && take().held() == expected; }).wait();
  };
  {
    const DeviceLock mine = take();
    EXPECT_EQ(as_stranger(false), 0);
  }
  EXPECT_EQ(as_stranger(true), 0);
}

TEST_F(DeviceLockTest, AFileThatCannotBeOpenedMeansNoLock) {
  const DeviceLock lock("host", kForever, go_on, folder / "missing");
  EXPECT_FALSE(lock.held());
  EXPECT_FALSE(lock.waited());
  EXPECT_NE(lock.trouble().find("No such file"), std::string::npos) << lock.trouble();
}

// A child that waits for the lock and, once it has it, says its name; when this returns it stands
// in the queue.
class Waiter {
 public:
  Waiter(const fs::path& folder, char name, int say) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    child_ = std::make_unique<Child>([&, name, say] {
      bool told = false;
      const DeviceLock lock(
          "host", kForever,
          [&] { return std::exchange(told, true) || write(ends[1], "x", 1) == 1; }, folder);
      return lock.held() && write(say, &name, 1) == 1;
    });
    close(ends[1]);
    char byte = 0;
    waits_ = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
  }
  bool waits() const { return waits_; }
  void kill() { child_->kill(); }
  int wait() { return child_->wait(); }

 private:
  std::unique_ptr<Child> child_;
  bool waits_ = false;
};

// Issue: `bench` lets go and takes it again at once, and a file of 16 KB waited 31 s.
TEST_F(DeviceLockTest, WhoWaitedComesBeforeWhoComesBack) {
  int order[2];
  int go[2];
  int held[2];
  ASSERT_EQ(pipe(order) + pipe(go) + pipe(held), 0);
  char byte = 'x';
  // Holds it, lets go when told, and comes back. Another process, since children share what is
  // held.
  Child bench([&] {
    auto lock = std::make_unique<DeviceLock>("host", 0, go_on, folder);
    if (!lock->held() || write(held[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1) return false;
    lock.reset();
    const DeviceLock again("host", kForever, go_on, folder);
    return again.held() && again.waited() && write(order[1], "z", 1) == 1;
  });
  ASSERT_EQ(read(held[0], &byte, 1), 1);
  std::vector<std::unique_ptr<Waiter>> waiters;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    waiters.push_back(std::make_unique<Waiter>(folder, name, order[1]));
    ASSERT_TRUE(waiters.back()->waits()) << name;
  }
  waiters[1]->kill();  // who dies in the queue holds up nobody
  ASSERT_EQ(write(go[1], "x", 1), 1);
  EXPECT_EQ(bench.wait(), 0);
  for (const int which : {0, 2, 3}) EXPECT_EQ(waiters[static_cast<std::size_t>(which)]->wait(), 0);
  std::string served(5, ' ');
  served.resize(static_cast<std::size_t>(std::max<ssize_t>(read(order[0], served.data(), 5), 0)));
  EXPECT_EQ(served, "acdz");
  for (const auto& ends : {order, go, held})
    for (const int end : {ends[0], ends[1]}) close(end);
}

// Who gives up leaves the queue.
TEST_F(DeviceLockTest, WhoStopsWaitingHoldsUpNobody) {
  auto mine = std::make_unique<DeviceLock>("host", 0, go_on, folder);
  const DeviceLock given_up("host", 0.02, go_on, folder);
  EXPECT_FALSE(given_up.held());
  mine.reset();
  EXPECT_TRUE(take().held());
}

// A foreign program's lock over the whole file is no queue to stand in.
TEST_F(DeviceLockTest, AFileThatIsLockedToItsEndMeansNoLock) {
  std::ofstream(file()).flush();
  const int foreign = open(file().c_str(), O_RDWR | O_CLOEXEC);
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_start = 1;
  ASSERT_EQ(fcntl(foreign, F_OFD_SETLK, &all), 0);
  const DeviceLock lock("host", kForever, go_on, folder);
  EXPECT_FALSE(lock.held());
  EXPECT_NE(lock.trouble().find("locked all of it"), std::string::npos) << lock.trouble();
  close(foreign);
}

// Neither waits for it nor uses it, and says so.
TEST_F(DeviceLockTest, WhatIsNoFileIsNotOpened) {
  const auto expect_refused = [&](const char* what) {
    const DeviceLock lock("host", kForever, go_on, folder);
    EXPECT_FALSE(lock.held()) << what;
    EXPECT_FALSE(lock.waited()) << what;
    EXPECT_NE(lock.trouble().find("xpose-host.lock cannot be used: it is not a regular file"),
              std::string::npos)
        << what << ": " << lock.trouble();
    fs::remove(file());
  };
  std::ofstream(folder / "target").flush();
  fs::create_symlink(folder / "target", file());
  expect_refused("link");
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  expect_refused("pipe");
  fs::create_directory(file());
  expect_refused("folder");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  file().string().copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused("socket");
  close(listener);
  if (mknod(file().c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) expect_refused("device");
  EXPECT_TRUE(take().held());
}

// The folder does not depend on who asks.
TEST(LockFolder, IsSharedByAllUsers) {
  const fs::path folder = lock_folder();
  EXPECT_TRUE(folder == "/run/lock" || folder == "/tmp") << folder;
  struct stat status {};
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 01002, 01002U);
}

}  // namespace
}  // namespace xpose
