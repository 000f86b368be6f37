#include "process/device_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "process/environment.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(10);    // between two looks at those in front
constexpr auto kAsked = std::chrono::milliseconds(100);  // between two questions to the caller

constexpr const char* kRemove = "remove it, or name another folder in XPOSE_LOCK_FOLDER";
constexpr const char* kAnotherFolder =
    "name a folder in XPOSE_LOCK_FOLDER that exists and lets you make files";

// Why a file is not one to lock.
struct Unusable {
  std::string words;
  std::string remedy = kRemove;
};

[[noreturn]] void fail(const char* remedy = kRemove) {
  const std::string words = std::generic_category().message(errno);
  throw Unusable{words, lacks_descriptor(errno) ? kMoreDescriptors : remedy};
}

std::string file_name(const std::string& device) {
  std::string name = device.substr(0, 100);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  return "xpose-" + name + ".lock";
}

// A name of the file alone: opening a pipe or a device may wait, or do something. A link is one
// too.
Descriptor find(const std::filesystem::path& file) {
  return Descriptor(::open(file.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
}

void create(const std::filesystem::path& file) {
  const Descriptor created(
      ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0666));
  if (created.get() >= 0)
    ::fchmod(created.get(), 0666);  // whatever the umask
  else if (errno != EEXIST)         // by another process meanwhile
    fail(kAnotherFolder);
}

// Throws Unusable.
Descriptor open_file(const std::filesystem::path& file) {
  Descriptor found = find(file);
  // The kernel refuses O_CREAT on another user's file in a sticky folder (fs.protected_regular), so
  // that an existing file is opened without.
  if (found.get() < 0 && errno == ENOENT) {
    create(file);
    found = find(file);
  }
  struct stat status {};
  if (found.get() < 0) fail(kAnotherFolder);
  if (::fstat(found.get(), &status) != 0) fail();
  if (!S_ISREG(status.st_mode)) throw Unusable{"it is not a regular file"};
  const std::string same = "/proc/self/fd/" + std::to_string(found.get());
  Descriptor opened(::open(same.c_str(), O_RDWR | O_CLOEXEC));
  if (opened.get() < 0) fail();
  return opened;
}

// Bytes of the file, none of which need exist.
struct flock bytes(short type, off_t first, off_t count) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;  // 0: all that follow
  return range;
}

// Locks for the open file, not for the process. False: another one has a part of the bytes.
bool set(int file, short type, off_t first, off_t count) {
  struct flock range = bytes(type, first, count);
  if (::fcntl(file, F_OFD_SETLK, &range) == 0) return true;
  if (errno != EAGAIN && errno != EACCES && errno != EINTR) fail();
  return false;
}

constexpr off_t kDoor = 0;  // held for as long as it takes to draw a ticket
constexpr off_t kFirstTicket = 1;

bool is_free(int file, off_t first, off_t count) {
  struct flock taken = bytes(F_WRLCK, first, count);
  if (::fcntl(file, F_OFD_GETLK, &taken) != 0) fail();
  return taken.l_type == F_UNLCK;
}

// One past the last ticket that another one holds.
off_t next_ticket(int file) {
  off_t next = kFirstTicket;
  for (;;) {
    struct flock taken = bytes(F_WRLCK, next, 0);
    if (::fcntl(file, F_OFD_GETLK, &taken) != 0) fail();
    if (taken.l_type == F_UNLCK) return next;
    if (taken.l_len == 0) throw Unusable{"another program has locked all of it"};
    next = taken.l_start + taken.l_len;
  }
}

}  // namespace

std::filesystem::path lock_folder() {
  const char* const named = environment("XPOSE_LOCK_FOLDER");
  if (named != nullptr && named[0] == '/') return named;
  constexpr mode_t kShared = S_IFDIR | S_ISVTX | S_IWOTH;
  struct stat status {};
  const bool shared = ::stat("/run/lock", &status) == 0 && (status.st_mode & kShared) == kShared;
  return shared ? "/run/lock" : "/tmp";
}

std::string lock_folder_trouble() {
  const char* const named = environment("XPOSE_LOCK_FOLDER");
  if (named == nullptr || named[0] == '/') return {};
  return "XPOSE_LOCK_FOLDER is '" + one_line(named) +
         "', which is relative, and the locks lie in " + lock_folder().string() +
         "; name the folder by its absolute path, or unset the variable";
}

DeviceLock::DeviceLock(const std::string& device, double seconds,
                       const std::function<bool()>& waiting, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / file_name(device);
  const auto start = Clock::now();
  auto last_asked = start - kAsked;
  const auto go_on = [&] {
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - start).count() >= seconds) return false;
    if (now - last_asked < kAsked) return true;
    last_asked = now;
    return !waiting || waiting();
  };
  try {
    file_ = open_file(file);
    while (!is_first()) {
      waited_ = true;
      if (!go_on()) {
        file_ = Descriptor();
        return;
      }
      std::this_thread::sleep_for(kLook);
    }
  } catch (const Unusable& why) {
    file_ = Descriptor();
    trouble_ = "the lock " + file.string() + " cannot be used: " + why.words +
               "; other processes may measure at the same time; " + why.remedy;
  }
}

// With a ticket behind those of all others, who keep theirs until they let go of the device.
bool DeviceLock::is_first() {
  if (ticket_ == 0) {
    if (!set(file_.get(), F_WRLCK, kDoor, 1)) return false;
    const off_t next = next_ticket(file_.get());
    if (set(file_.get(), F_WRLCK, next, 1)) ticket_ = next;
    set(file_.get(), F_UNLCK, kDoor, 1);
  }
  return ticket_ == kFirstTicket ||
         (ticket_ != 0 && is_free(file_.get(), kFirstTicket, ticket_ - kFirstTicket));
}

}  // namespace xpose
