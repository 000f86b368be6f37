#include "output/pending_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <string>
#include <system_error>

namespace xpose::app {
namespace {

constexpr int kMostLinks = 40;  // the kernel's limit

// The file that a link names in the end, there or not.
std::filesystem::path link_followed(std::filesystem::path target) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target, error); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target);
  return target;
}

// The reason why a file that is there cannot be replaced, or null.
const char* obstacle(const std::filesystem::path& target) {
  struct statx file {};
  struct statx folder {};
  const std::filesystem::path beside = target.has_parent_path() ? target.parent_path() : ".";
  if (statx(AT_FDCWD, target.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &file) != 0 ||
      statx(AT_FDCWD, beside.c_str(), 0, STATX_BASIC_STATS, &folder) != 0)
    return nullptr;
  if ((file.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
    return "it may not be changed, or only grow (lsattr): write elsewhere";
  if ((file.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
    return "something is mounted there: write elsewhere";
  const uid_t user = geteuid();
  if ((folder.stx_mode & S_ISVTX) != 0 && user != 0 && user != file.stx_uid &&
      user != folder.stx_uid)
    return "it belongs to another user, in a folder where each replaces only own files: write "
           "elsewhere";
  return nullptr;
}

// Keeps the access control list where the file system has such lists. A new file has
// that of its folder, if any.
void copy_access_list(const std::filesystem::path& from, int to) {
  constexpr const char* kList = "system.posix_acl_access";
  std::array<char, XATTR_SIZE_MAX> list{};
  const ssize_t size = getxattr(from.c_str(), kList, list.data(), list.size());
  if (size > 0)
    fsetxattr(to, kList, list.data(), static_cast<std::size_t>(size), 0);
  else
    fremovexattr(to, kList);
}

// The owner and permissions of the file that is replaced, or those of a new file.
void take_over(const std::filesystem::path& target, int fd) {
  struct stat status {};
  if (stat(target.c_str(), &status) != 0) {
    const mode_t mask = umask(0);
    umask(mask);
    status.st_mode = 0666 & ~mask;
  } else {
    const bool given = fchown(fd, status.st_uid, status.st_gid) == 0;
    [[maybe_unused]] const int group =
        given ? 0 : fchown(fd, static_cast<uid_t>(-1), status.st_gid);  // or is this user's
    copy_access_list(target, fd);
  }
  if (fchmod(fd, status.st_mode & 0777) != 0)
    fail(target.string(), "cannot set its permissions", errno);
}

}  // namespace

std::filesystem::path PendingFile::resolved(const std::filesystem::path& target) {
  if (target.empty()) throw std::runtime_error("the name of the file to write is empty");
  struct stat status {};
  const bool is_there = stat(target.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) fail(target.string(), "cannot be written", errno);
  if (is_there && S_ISDIR(status.st_mode))
    throw std::runtime_error(target.string() + " is a folder: name the file to write");
  if (is_there && !S_ISREG(status.st_mode))
    throw std::runtime_error(
        target.string() +
        " is not a regular file: an output replaces a file, not a device or a socket");
  std::filesystem::path place = link_followed(target);
  if (const char* why = is_there ? obstacle(place) : nullptr)
    throw std::runtime_error(target.string() + " cannot be replaced: " + why);
  return place;
}

PendingFile::PendingFile(const std::filesystem::path& target, TemporaryFile::Kind kind)
    : target_(resolved(target)), file_(target_, kind) {}

void PendingFile::write(std::string_view text) { write_text(file_.fd(), text, target_.string()); }

void PendingFile::commit(const std::function<void()>& placed) {
  if (fsync(file_.fd()) != 0) fail(target_.string(), "cannot be written to the disk", errno);
  take_over(target_, file_.fd());
  file_.put_in_place(placed);
}

}  // namespace xpose::app
