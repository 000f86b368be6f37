#include "process/device_lock.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "device_lock_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

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

TEST_F(DeviceLockTest, EveryUserCanOpenItsFile) {
  const mode_t before = umask(077);
  EXPECT_TRUE(take().held());
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666U);
}

TEST_F(DeviceLockTest, AFileThatCannotBeOpenedMeansNoLock) {
  const DeviceLock lock("host", kForever, kGoOn, folder / "missing");
  EXPECT_FALSE(lock.held());
  EXPECT_FALSE(lock.waited());
  EXPECT_NE(lock.trouble().find("No such file"), std::string::npos) << lock.trouble();
}

// Who gives up leaves the queue.
TEST_F(DeviceLockTest, WhoStopsWaitingHoldsUpNobody) {
  auto mine = std::make_unique<DeviceLock>("host", 0, kGoOn, folder);
  const DeviceLock given_up("host", 0.02, kGoOn, folder);
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
  const DeviceLock lock("host", kForever, kGoOn, folder);
  EXPECT_FALSE(lock.held());
  EXPECT_NE(lock.trouble().find("locked all of it"), std::string::npos) << lock.trouble();
  close(foreign);
}

// Neither waits for it nor uses it, and says so.
TEST_F(DeviceLockTest, WhatIsNoFileIsNotOpened) {
  const auto expect_refused = [&](const char* what) {
    const DeviceLock lock("host", kForever, kGoOn, folder);
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

TEST_F(DeviceLockTest, AFolderThatIsMissingOrClosedIsToldWithTheRemedy) {
  const DeviceLock missing("host", kForever, kGoOn, folder / "none");
  EXPECT_EQ(missing.trouble(), "the lock " + (folder / "none/xpose-host.lock").string() +
                                   " cannot be used: No such file or directory; other processes "
                                   "may measure at the same time; name a folder in "
                                   "XPOSE_LOCK_FOLDER that exists and lets you make files");
  const DeviceLock closed("host", kForever, kGoOn, "/sys");  // where root makes no file either
  EXPECT_EQ(closed.trouble().find("No such file"), std::string::npos) << closed.trouble();
}

// The folder does not depend on who asks.
TEST(LockFolder, IsSharedByAllUsers) {
  unsetenv("XPOSE_LOCK_FOLDER");  // each test has its own
  const fs::path folder = lock_folder();
  EXPECT_TRUE(folder == "/run/lock" || folder == "/tmp") << folder;
  struct stat status {};
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 01002, 01002U);
}

TEST(LockFolder, IsNamedByTheEnvironmentWhereThatIsAbsolute) {
  setenv("XPOSE_LOCK_FOLDER", "locks", 1);
  EXPECT_NE(lock_folder(), "locks");
  EXPECT_EQ(lock_folder_trouble(),
            "XPOSE_LOCK_FOLDER is 'locks', which is relative, and the locks "
            "lie in " +
                lock_folder().string() +
                "; name the folder by its absolute path, or unset the "
                "variable");
  setenv("XPOSE_LOCK_FOLDER", "/locks", 1);
  EXPECT_EQ(lock_folder(), "/locks");
  EXPECT_EQ(lock_folder_trouble(), "");
  setenv("XPOSE_LOCK_FOLDER", "", 1);
  EXPECT_EQ(lock_folder_trouble(), "");
}

}  // namespace
}  // namespace xpose
