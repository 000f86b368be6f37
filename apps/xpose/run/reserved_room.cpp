#include "run/reserved_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "output/file_descriptor.hpp"

namespace xpose::app {
namespace {

// Where no room can be reserved, room that is not there at the beginning is not there later either.
void check_free(int fd, std::uint64_t bytes, const std::string& failure, const std::string& name) {
  struct statvfs room {};
  struct stat file {};
  if (fstatvfs(fd, &room) != 0 || room.f_blocks == 0 || fstat(fd, &file) != 0) return;
  const std::uint64_t has = static_cast<std::uint64_t>(file.st_blocks) * 512;
  if (room.f_bavail * room.f_frsize + has < bytes) fail(name, failure, ENOSPC);
}

}  // namespace

// fallocate rather than posix_fallocate, which writes to every block where the file system cannot
// reserve.
void reserve_room(int fd, std::uint64_t bytes, const std::string& name, const std::string& failure,
                  std::uint64_t others) {
  const auto size = static_cast<off_t>(bytes);
  int result = 0;
  do {
    result = bytes == 0 ? 0 : fallocate(fd, 0, 0, size);  // which refuses nothing
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EOPNOTSUPP) {
    check_free(fd, bytes + others, failure, name);
    result = 0;
  }
  if (result == 0) result = ftruncate(fd, size);  // one that was kept may be longer
  if (result != 0) fail(name, failure, errno);
}

void check_room(int fd, std::uint64_t bytes, const std::string& name, const std::string& failure) {
  check_free(fd, bytes, failure, name);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) fail(name, failure, errno);
}

}  // namespace xpose::app
