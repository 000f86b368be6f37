// Put before the C library by LD_PRELOAD: from its n-th call on, a function that reads or writes a
// file fails, does not return, or moves half of the bytes. $XPOSE_FAULT says which: "pread 3 EIO",
// "pwrite 1 stall", "pread 2 short". Only of files under $XPOSE_FAULT_FOLDER; ".fault" there
// appears when it is so far.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int calls;

static int is_ours(int fd) {
  char link[64];
  char name[4096];
  const char* folder = getenv("XPOSE_FAULT_FOLDER");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  return folder != NULL && length > 0 && strncmp(name, folder, strlen(folder)) == 0;
}

static int error_named(const char* name) {
  return strcmp(name, "ENOSPC") == 0 ? ENOSPC : strcmp(name, "EOPNOTSUPP") == 0 ? EOPNOTSUPP : EIO;
}

// Whether the call fails. Of a call of `bytes` that is to be short, half of them are left.
static int meets_fault(const char* function, int fd, size_t* bytes) {
  char which[16];
  char what[16];
  int from = 0;
  const char* fault = getenv("XPOSE_FAULT");
  if (fault == NULL || sscanf(fault, "%15s %d %15s", which, &from, what) != 3) return 0;
  if (strcmp(which, function) != 0 || !is_ours(fd) || atomic_fetch_add(&calls, 1) + 1 < from)
    return 0;
  char mark[4096];
  snprintf(mark, sizeof mark, "%s/.fault", getenv("XPOSE_FAULT_FOLDER"));
  const int marked = open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (marked >= 0) close(marked);
  while (strcmp(what, "stall") == 0) pause();
  if (strcmp(what, "short") == 0) {
    *bytes = (*bytes + 1) / 2;
    return 0;
  }
  errno = error_named(what);
  return 1;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  return meets_fault("pread", fd, &bytes) ? -1 : NEXT(pread)(fd, to, bytes, offset);
}

// Nothing is cached while reads are to fail.
ssize_t preadv2(int fd, const struct iovec* parts, int count, off_t offset, int flags) {
  const char* fault = getenv("XPOSE_FAULT");
  if (fault != NULL && strncmp(fault, "pread ", 6) == 0 && is_ours(fd)) {
    errno = EAGAIN;
    return -1;
  }
  return NEXT(preadv2)(fd, parts, count, offset, flags);
}

ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  return meets_fault("pwrite", fd, &bytes) ? -1 : NEXT(pwrite)(fd, from, bytes, offset);
}

int fsync(int fd) { return meets_fault("fsync", fd, NULL) ? -1 : NEXT(fsync)(fd); }

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  return meets_fault("fallocate", fd, NULL) ? -1 : NEXT(fallocate)(fd, mode, offset, bytes);
}

// What else waits for the disk.
int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) {
  return (flags & SYNC_FILE_RANGE_WAIT_BEFORE) != 0 && meets_fault("sync", fd, NULL)
             ? -1
             : NEXT(sync_file_range)(fd, offset, bytes, flags);
}
