#include "cache/cache_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/cache_rows.hpp"
#include "process/descriptor.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;
using Fault = DatabaseError::Fault;
using Clock = std::chrono::steady_clock;

constexpr const char* kLock = "-lock";
constexpr auto kLockPatience = std::chrono::seconds(2);
constexpr auto kLockPause = std::chrono::milliseconds(2);

fs::path with(const fs::path& file, const std::string& ending) {
  fs::path name = file;
  return name += ending;
}

// XDG wants its folders for their owner alone.
void create_folder(const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::exists(folder, ignored)) return;
  create_folder(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)  // by another process meanwhile
    throw DatabaseError(Fault::unwritable, "its folder " + folder.string() + " cannot be made: " +
                                               std::generic_category().message(errno));
}

FileLock lock_shared(const fs::path& file) {
  FileLock lock(file);
  const auto deadline = Clock::now() + kLockPatience;
  while (!lock.try_lock(FileLock::Mode::shared)) {
    if (Clock::now() > deadline)
      throw DatabaseError(Fault::busy, "another process is moving it aside and does not finish");
    std::this_thread::sleep_for(kLockPause);
  }
  return lock;
}

// SQLite would write into a device, and what it finds there would be moved aside.
void require_plain(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw DatabaseError(Fault::failed, S_ISDIR(status.st_mode)
                                         ? "it is a folder"
                                         : "it is a device, a pipe or a socket, and no file");
}

// Whether a file is one of SQLite, or was to be: a crash of the machine leaves none of its bytes,
// or zeros.
bool begins_as_database(const fs::path& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  return begin.find_first_not_of('\0') == std::string::npos || begin == kMagic;
}

[[noreturn]] void refuse_foreign() { throw DatabaseError(Fault::foreign, "it is no database"); }

// A lock is not to lie beside a foreign file. A file that has none is not open in this process.
void require_database_or_lock(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::exists(fs::symlink_status(with(file, kLock), ignored)) &&
      !begins_as_database(file))
    refuse_foreign();
}

// A file that was named by mistake is not to be moved aside. It is read when it has turned out to
// be no database: closing it drops every lock that this process has on it.
template <class Open>
auto opened(const fs::path& file, const Open& open) try {
  return open();
} catch (const DatabaseError& error) {
  if (error.fault() != Fault::corrupt || begins_as_database(file)) throw;
  refuse_foreign();
}

std::string remedy(Fault fault) {
  constexpr const char* kAnother = "name another file with --cache or in XPOSE_CACHE";
  switch (fault) {
    case Fault::busy:
      return "end the process that holds it, or wait for it";
    case Fault::corrupt:
      return "remove or rename it, and the next `xpose tune` starts a new one";
    case Fault::unwritable:
      return std::string("give yourself access to it and its folder, or ") + kAnother;
    case Fault::full:
      return "free some space, or name a file elsewhere with --cache or in XPOSE_CACHE";
    case Fault::exhausted:
      return kMoreDescriptors;
    case Fault::newer:
      return std::string("update xpose, or ") + kAnother;
    case Fault::older:
      return "run `xpose cache show --cache FILE` as a user with write access to update it";
    case Fault::foreign:
    case Fault::failed:
      break;
  }
  return kAnother;
}

}  // namespace

std::string explain(const fs::path& file, const DatabaseError& error) {
  return "cache " + file.string() + ": " + error.what() + "; " + remedy(error.fault());
}

// ------------------------------------------------------------------------------------------ lock

FileLock::FileLock(const fs::path& file) {
  const fs::path name = with(file, kLock);
  constexpr int kWays = O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;  // a pipe would wait
  const auto open_lock = [&] { return open(name.c_str(), kWays, 0600); };
  descriptor_ = open_lock();
  if (descriptor_ < 0 && errno == ENOENT) {
    create_folder(file.parent_path());
    descriptor_ = open_lock();
  }
  if (descriptor_ < 0)
    throw DatabaseError(lacks_descriptor(errno) ? Fault::exhausted : Fault::unwritable,
                        name.string() + ": " + std::generic_category().message(errno));
  struct stat status {};
  if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
  close(descriptor_);
  throw DatabaseError(Fault::failed, name.string() + " is no plain file, and cannot be its lock");
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileLock::try_lock(Mode mode) {
  return flock(descriptor_, (mode == Mode::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 ||
         (errno != EWOULDBLOCK && errno != EINTR);
}

Inode inode_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

// ------------------------------------------------------------------------------------------ open

CacheFile open_cache_file(const fs::path& file) {
  require_plain(file);
  require_database_or_lock(file);
  FileLock in_use = lock_shared(file);
  // Not through a descriptor: closing one would drop every lock that this process has on the file.
  mknod(file.c_str(), S_IFREG | 0600, 0);
  const Inode inode = inode_of(file);
  return opened(file, [&]() -> CacheFile {
    Database database(file, Database::Access::read_write);
    database.adopt(kCacheApplication, kCacheSchema);
    const Journal journal = database.choose_journal();
    return {std::move(in_use), inode, std::move(database), journal};
  });
}

Database open_cache_read_only(const fs::path& file) {
  require_plain(file);
  const auto open_as = [&](Database::Access access) {
    Database database(file, access);
    database.require(kCacheApplication, kCacheSchema.size());
    return database;
  };
  try {
    return opened(file, [&] { return open_as(Database::Access::read_only); });
  } catch (const DatabaseError& error) {
    if (error.fault() != Fault::unwritable && error.fault() != Fault::failed) throw;
    // A reader needs to write beside the file, to see what writers do; here it cannot.
    return open_as(Database::Access::immutable);
  }
}

std::optional<fs::path> move_aside(const fs::path& file, Inode corrupt) {
  FileLock lock(file);
  const auto deadline = Clock::now() + kLockPatience;
  while (!lock.try_lock(FileLock::Mode::exclusive)) {
    if (inode_of(file) != corrupt) return {};
    if (Clock::now() > deadline)
      throw DatabaseError(Fault::busy,
                          "it is corrupt, and cannot be moved aside while another process uses it");
    std::this_thread::sleep_for(kLockPause);
  }
  if (inode_of(file) != corrupt) return {};
  int number = 1;
  while (fs::exists(fs::symlink_status(with(file, ".corrupt-" + std::to_string(number))))) ++number;
  const fs::path aside = with(file, ".corrupt-" + std::to_string(number));
  // The file first: a journal that is left without it is thrown away with the next empty file.
  std::error_code failed;
  fs::rename(file, aside, failed);
  if (failed)
    throw DatabaseError(Fault::unwritable,
                        "it is corrupt, and cannot be moved aside: " + failed.message());
  for (const char* journal : {"-wal", "-shm", "-journal"}) {
    std::error_code missing;
    fs::rename(with(file, journal), with(aside, journal), missing);
  }
  return aside;
}

}  // namespace xpose
