#include "output/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace xpose::app {
namespace {

constexpr std::string_view kPrefix = ".xpose-";
constexpr std::size_t kLetters = 6;

// The paths that a signal handler removes; empty: none.
std::array<std::array<char, PATH_MAX>, 8> named_files;

// Of all that there are, with names or without; 0: none.
std::array<std::atomic<int>, 8> open_files;

void exchange(int before, int after) {
  const auto slot = std::ranges::find(open_files, before, [](const auto& fd) { return fd.load(); });
  if (slot != open_files.end()) slot->store(after);
}

void remember(const std::string& path) {
  for (auto& slot : named_files)
    if (slot.front() == '\0' && path.size() < slot.size()) {
      *std::ranges::copy(path.substr(1), slot.begin() + 1).out = '\0';
      slot.front() = path.front();
      return;
    }
}

void forget(const std::string& path) {
  for (auto& slot : named_files)
    if (path == slot.data()) slot.front() = '\0';
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

std::string random_name() {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string name(kPrefix);
  for (std::size_t i = 0; i < kLetters; ++i) name += kAlphabet[random() % kAlphabet.size()];
  return name;
}

// A file that may be written says nothing of its folder.
[[noreturn]] void fail_to_create(const std::filesystem::path& file,
                                 const std::filesystem::path& folder, int error) {
  fail(file.string(),
       error == EACCES || error == EROFS ? "cannot be written to the folder " + folder.string()
                                         : "cannot be written",
       error);
}

// Of a regular file of this user that nobody has locked: the lock shows that its owner is dead, and
// is held until the name is gone; that the file still has that name, that its owner has not put it
// in place meanwhile.
void remove_abandoned(int folder, const char* name) {
  const FileDescriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat opened {};
  struct stat named {};
  if (file.get() >= 0 && fstat(file.get(), &opened) == 0 && S_ISREG(opened.st_mode) &&
      opened.st_uid == geteuid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
      fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino &&
      named.st_dev == opened.st_dev)
    unlinkat(folder, name, 0);
}

// Removes files that a killed process has left in the folder.
void sweep(const std::filesystem::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> names(opendir(folder.c_str()), closedir);
  if (!names) return;
  while (const dirent* entry = readdir(names.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(kPrefix) && name.size() == kPrefix.size() + kLetters)
      remove_abandoned(dirfd(names.get()), entry->d_name);
  }
}

}  // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& target, Kind kind,
                             std::string_view kept_for)
    : target_(target),
      folder_(target.has_parent_path() ? target.parent_path() : "."),
      is_kept_(kind == Kind::kept) {
  if (is_kept_)
    create_kept(kept_for);
  else if (kind == Kind::named || !create_nameless())
    create_named();
  exchange(0, file_.get());
}

TemporaryFile::~TemporaryFile() {
  exchange(file_.get(), 0);
  if (!has_name() || stays_) return;
  unlink(name_.c_str());
  forget(name_.string());
}

// Without /proc it could never get a name.
bool TemporaryFile::create_nameless() {
  file_ = FileDescriptor(open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file_.get() < 0 || access(path_of_descriptor().c_str(), F_OK) != 0) return false;
  flock(file_.get(), LOCK_EX | LOCK_NB);
  return true;
}

// Another may take a file for abandoned before it is locked: then it is locked by that one, or has
// no name any more.
void TemporaryFile::create_named() {
  sweep(folder_);
  for (bool is_ours = false; !is_ours;) {
    const SignalsHeld held;  // between the file and the record of its name
    const std::filesystem::path name = folder_ / random_name();
    file_ = FileDescriptor(open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (file_.get() < 0 && errno == EEXIST) continue;
    if (file_.get() < 0) fail_to_create(target_, folder_, errno);
    name_ = name;
    remember(name_.string());
    const bool taken =
        flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;  // some have no locks
    struct stat status {};
    if (fstat(file_.get(), &status) != 0) fail(target_.string(), "cannot be examined", errno);
    is_ours = !taken && status.st_nlink != 0;
    if (is_ours) continue;
    unlink(name_.c_str());
    forget(name_.string());
  }
}

std::filesystem::path TemporaryFile::kept_name(const std::filesystem::path& target,
                                               std::string_view kept_for) {
  return target.parent_path() /
         ("." + target.filename().string() + ".xpose-" + std::string(kept_for));
}

void TemporaryFile::create_kept(std::string_view kept_for) {
  name_ = kept_name(target_, kept_for);
  do {
    file_ = FileDescriptor(open(name_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file_.get() < 0) fail_to_create(name_, folder_, errno);
  } while (!lock_kept());
  struct stat opened {};
  struct stat target {};
  if (fstat(file_.get(), &opened) != 0) fail(name_.string(), "cannot be examined", errno);
  const bool is_ours = opened.st_uid == geteuid() ||
                       (stat(target_.c_str(), &target) == 0 && opened.st_uid == target.st_uid);
  if (!S_ISREG(opened.st_mode) || !is_ours || opened.st_nlink != 1)
    throw std::runtime_error(name_.string() +
                             " is not a file that this user began: remove it, or write elsewhere");
  stays_ = opened.st_size != 0;
}

// The lock of a process, which the one that stays behind after a signal has no part in.
bool TemporaryFile::lock_kept() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  if (fcntl(file_.get(), F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES))
    throw std::runtime_error(target_.string() +
                             ": another process is writing it; wait for that one, or end it");
  struct stat opened {};
  struct stat named {};
  return fstat(file_.get(), &opened) == 0 && lstat(name_.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

std::string TemporaryFile::path_of_descriptor() const {
  return "/proc/self/fd/" + std::to_string(file_.get());
}

bool TemporaryFile::link_as(const std::filesystem::path& name) {
  if (linkat(AT_FDCWD, path_of_descriptor().c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
      0)
    return true;
  if (errno != EEXIST) fail(target_.string(), "cannot be put in place", errno);
  return false;
}

// A link replaces nothing: that takes a name, which is then renamed.
void TemporaryFile::link_named() {
  sweep(folder_);
  const SignalsHeld held;
  std::filesystem::path name;
  do {
    name = folder_ / random_name();
  } while (!link_as(name));
  name_ = name;
  remember(name_.string());
}

void TemporaryFile::put_in_place(const std::function<void()>& placed) {
  const SignalsHeld held;  // between the place and what is said of it
  if (has_name() || !link_as(target_)) {
    if (!has_name()) link_named();
    if (rename(name_.c_str(), target_.c_str()) != 0)
      fail(target_.string(), "cannot be replaced", errno);
    forget(name_.string());
    name_.clear();
  }
  if (placed) placed();
}

void unlink_temporary_files() noexcept {
  for (const auto& slot : named_files)
    if (slot.front() != '\0') unlink(slot.data());
}

bool close_all_but_temporary_files() noexcept {
  std::array<unsigned, open_files.size() + 1> kept{};
  std::ranges::copy(open_files, kept.begin());
  kept.back() = ~0U;
  std::ranges::sort(kept);
  unsigned next = 0;
  for (const unsigned fd : kept) {
    if (fd == 0) continue;
    if (fd > next && syscall(SYS_close_range, next, fd - 1, 0) != 0) return false;
    next = fd + 1;
  }
  return true;
}

}  // namespace xpose::app
