// Put before the C library by LD_PRELOAD: from its n-th call on, a function that reads or writes a
// file fails, does not return, moves half of the bytes, or is the last one before a loss of power:
// what was not synced is lost. $XPOSE_FAULT says which: "pread 3 EIO", "pwrite 1 stall", "pread 2
// short", "pwrite 5 power". Only of files under $XPOSE_FAULT_FOLDER; ".fault" there
// appears when it is so far.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static atomic_int calls;

// Writes since the last sync began. Of:
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unsynced {
  int fd;
  off_t offset;
  size_t bytes;
} unsynced[1 << 16];
static size_t unsynced_count;

// Through the cache, which takes any bytes.
static void lose(const struct unsynced* lost) {
  static char garbage[1 << 16];
  memset(garbage, 0xEE, sizeof garbage);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", lost->fd);
  const int file = open(name, O_WRONLY | O_CLOEXEC);
  for (size_t at = 0; at < lost->bytes; at += sizeof garbage) {
    const size_t left = lost->bytes - at;
    NEXT(pwrite)
    (file, garbage, left < sizeof garbage ? left : sizeof garbage, lost->offset + (off_t)at);
  }
  close(file);
}

// A disk may have any of them or none: here none, and what was there neither.
static void lose_power(void) {
  pthread_mutex_lock(&lock);  // for good: no sync ends any more
  for (size_t i = 0; i < unsynced_count; ++i) lose(&unsynced[i]);
  kill(getpid(), SIGKILL);
}

static int is_ours(int fd) {
  char link[64];
  char name[4096];
  const char* folder = getenv("XPOSE_FAULT_FOLDER");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  return folder != NULL && length > 0 && strncmp(name, folder, strlen(folder)) == 0;
}

static int error_named(const char* name) {
  if (strcmp(name, "EINVAL") == 0) return EINVAL;
  return strcmp(name, "ENOSPC") == 0 ? ENOSPC : strcmp(name, "EOPNOTSUPP") == 0 ? EOPNOTSUPP : EIO;
}

// Whether the call fails. Of a call of `bytes` that is to be short, half of them are left.
static int meets_fault(const char* function, int fd, size_t* bytes) {
  char which[24];
  char what[16];
  int from = 0;
  const char* fault = getenv("XPOSE_FAULT");
  if (fault == NULL || sscanf(fault, "%23s %d %15s", which, &from, what) != 3) return 0;
  if (strcmp(which, function) != 0 || !is_ours(fd) || atomic_fetch_add(&calls, 1) + 1 < from)
    return 0;
  char mark[4096];
  snprintf(mark, sizeof mark, "%s/.fault", getenv("XPOSE_FAULT_FOLDER"));
  const int marked = open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (marked >= 0) close(marked);
  while (strcmp(what, "stall") == 0) pause();
  if (strcmp(what, "power") == 0) lose_power();
  if (strcmp(what, "short") == 0) {
    *bytes = (*bytes + 1) / 2;
    return 0;
  }
  errno = error_named(what);
  return 1;
}

static int is_direct(int fd) { return (fcntl(fd, F_GETFL) & O_DIRECT) != 0; }

// One past the page cache is another function here, "direct".
ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  if (is_direct(fd) && meets_fault("direct", fd, &bytes)) return -1;
  return meets_fault("pread", fd, &bytes) ? -1 : NEXT(pread)(fd, to, bytes, offset);
}

// Nothing is cached while they are.
static int are_reads_to_fail(void) {
  const char* fault = getenv("XPOSE_FAULT");
  return fault != NULL && (strncmp(fault, "pread ", 6) == 0 || strncmp(fault, "direct ", 7) == 0);
}

int mincore(void* begin, size_t bytes, unsigned char* states) {
  if (!are_reads_to_fail()) return NEXT(mincore)(begin, bytes, states);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  memset(states, 0, (bytes + page - 1) / page);
  return 0;
}

ssize_t preadv2(int fd, const struct iovec* parts, int count, off_t offset, int flags) {
  if (are_reads_to_fail() && is_ours(fd)) {
    errno = EAGAIN;
    return -1;
  }
  return NEXT(preadv2)(fd, parts, count, offset, flags);
}

// One past the page cache is "direct_write" as well.
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  if (is_direct(fd) && meets_fault("direct_write", fd, &bytes)) return -1;
  if (meets_fault("pwrite", fd, &bytes)) return -1;
  pthread_mutex_lock(&lock);
  if (unsynced_count < sizeof unsynced / sizeof *unsynced && is_ours(fd)) {
    unsynced[unsynced_count].fd = fd;
    unsynced[unsynced_count].offset = offset;
    unsynced[unsynced_count++].bytes = bytes;
  }
  pthread_mutex_unlock(&lock);
  return NEXT(pwrite)(fd, from, bytes, offset);
}

int fdatasync(int fd) {
  if (meets_fault("fdatasync", fd, NULL)) return -1;
  pthread_mutex_lock(&lock);
  const size_t before = unsynced_count;
  pthread_mutex_unlock(&lock);
  const int result = NEXT(fdatasync)(fd);
  pthread_mutex_lock(&lock);
  if (result == 0 && is_ours(fd)) {
    unsynced_count -= before;
    memmove(unsynced, unsynced + before, unsynced_count * sizeof *unsynced);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return meets_fault("fsync", fd, NULL) ? -1 : NEXT(fsync)(fd); }

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  return meets_fault("fallocate", fd, NULL) ? -1 : NEXT(fallocate)(fd, mode, offset, bytes);
}

// Rings would move bytes past the calls above.
int io_uring_queue_init(unsigned entries, void* ring, unsigned flags) {
  (void)entries, (void)ring, (void)flags;
  return -EPERM;
}

// What else waits for the disk.
int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) {
  return (flags & SYNC_FILE_RANGE_WAIT_BEFORE) != 0 && meets_fault("sync", fd, NULL)
             ? -1
             : NEXT(sync_file_range)(fd, offset, bytes, flags);
}
