#include "run/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "output/progress_line.hpp"
#include "run/spool.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kSamples = 64;

struct stat stat_of(int fd, const std::string& name) {
  struct stat status {};
  if (fstat(fd, &status) != 0) fail(name, "cannot be examined", errno);
  return status;
}

// The standard input, as it is where it is a file.
FileDescriptor standard_input(const std::string& name) {
  if (isatty(STDIN_FILENO) != 0)
    throw std::runtime_error("standard input is a terminal: redirect a .npy file to it");
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
    return FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return spooled(STDIN_FILENO, name);
}

// All bytes of a named pipe. A pipe without a writer has ended, so this waits for one. A writer
// that ends soon leaves its bytes here; they would be lost to an open() that waits.
FileDescriptor spooled_pipe(int fd, const std::string& name) {
  pollfd coming = {fd, POLLIN, 0};
  while (poll(&coming, 1, -1) < 0)
    if (errno != EINTR) fail(name, "cannot be read", errno);
  if (fcntl(fd, F_SETFL, 0) != 0) fail(name, "cannot be read", errno);
  return spooled(fd, name);
}

FileDescriptor opened_for_reading(const std::filesystem::path& path, const std::string& name) {
  if (path == "-") return standard_input(name);
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(name, "cannot be read", errno);
  return S_ISFIFO(stat_of(file.get(), name).st_mode) ? spooled_pipe(file.get(), name)
                                                     : std::move(file);
}

// A file whose pages are asked for, and never read.
class MappedPages {
 public:
  MappedPages(int fd, std::uint64_t bytes)
      : bytes_(bytes), begin_(mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0)) {}
  ~MappedPages() {
    if (begin_ != MAP_FAILED) munmap(begin_, bytes_);
  }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  // True also where the file cannot be mapped.
  bool are_resident(std::uint64_t offset) const {
    if (begin_ == MAP_FAILED) return true;
    unsigned char state = 0;
    const std::uint64_t page = offset - offset % page_bytes_;
    return mincore(static_cast<std::byte*>(begin_) + page, 1, &state) == 0 && (state & 1) != 0;
  }

 private:
  std::uint64_t page_bytes_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t bytes_;
  void* begin_;
};

struct stat regular_file(int fd, const std::string& name) {
  const struct stat status = stat_of(fd, name);
  if (S_ISDIR(status.st_mode)) throw std::runtime_error(name + " is a folder: name a .npy file");
  if (!S_ISREG(status.st_mode))
    throw std::runtime_error(name +
                             " is not a regular file: xpose reads its input in pieces, from a file "
                             "or a pipe");
  return status;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()),
      file_(opened_for_reading(path, name_)),
      opened_(regular_file(file_.get(), name_)) {
  const off_t at = path == "-" ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  if (at > 0) begin_ = std::min<std::uint64_t>(static_cast<std::uint64_t>(at), bytes());
  expect_pieces();
}

InputFile::InputFile(FileDescriptor file, std::string name)
    : name_(std::move(name)), file_(std::move(file)), opened_(regular_file(file_.get(), name_)) {
  expect_pieces();
}

// Pieces of rows are read exactly: bytes that are read ahead are not needed next.
void InputFile::expect_pieces() const { posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM); }

void InputFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got =
        pread(file_.get(), to.data(), to.size(), static_cast<off_t>(begin_ + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, "cannot be read", errno);
    if (got == 0)
      throw std::runtime_error(
          name_ + ": the file became shorter while it was read; run again when it is complete");
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

// Small sectors spare bytes at the ends of a run, where the disk has such.
bool InputFile::open_direct() {
  constexpr std::size_t kSmallSector = 512;
  const std::string path = "/proc/self/fd/" + std::to_string(file_.get());
  FileDescriptor direct(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  if (direct.get() < 0) return false;
  alignas(kSector) std::array<std::byte, kSector> sample{};
  if (pread(direct.get(), sample.data(), kSector, 0) < 0) return false;
  const bool is_small = pread(direct.get(), sample.data(), kSmallSector, kSmallSector) >= 0;
  sector_ = is_small ? kSmallSector : kSector;
  direct_ = std::move(direct);
  return true;
}

Transfer InputFile::direct_read(std::uint64_t offset, std::size_t bytes,
                                std::span<std::byte> buffer) const {
  const std::uint64_t at = begin_ + offset;
  const std::size_t before = at % sector_;
  const std::size_t sectors = (before + bytes + sector_ - 1) / sector_ * sector_;
  return {at - before, buffer.first(std::min(sectors, buffer.size()))};
}

std::size_t InputFile::take_direct(std::uint64_t offset, std::span<std::byte> to,
                                   const Transfer& transfer, ssize_t result) const {
  if (result == -EINTR) return 0;
  if (result < 0 && result != -EINVAL)  // which some answer in some places
    fail(name_, "cannot be read", static_cast<int>(-result));
  const std::size_t before = begin_ + offset - transfer.offset;
  const auto got = static_cast<std::size_t>(std::max<ssize_t>(result, 0));
  if (got <= before) {
    read(offset, to);  // which tells why
    return to.size();
  }
  const std::size_t size = std::min(got - before, to.size());
  std::memcpy(to.data(), transfer.bytes.data() + before, size);
  return size;
}

std::size_t InputFile::read_cached(std::uint64_t offset, std::span<std::byte> to) const {
  const iovec piece = {to.data(), to.size()};
  const ssize_t got =
      preadv2(file_.get(), &piece, 1, static_cast<off_t>(begin_ + offset), RWF_NOWAIT);
  return static_cast<std::size_t>(std::max<ssize_t>(got, 0));  // errors are read()'s to tell
}

void InputFile::ask_for(std::uint64_t offset, std::uint64_t bytes) const {
  posix_fadvise(file_.get(), static_cast<off_t>(begin_ + offset), static_cast<off_t>(bytes),
                POSIX_FADV_WILLNEED);
}

double InputFile::cached_share() const {
  std::mt19937_64 random(std::random_device{}());
  const std::uint64_t part = std::max<std::uint64_t>(bytes() / kSamples, 1);
  const auto share = [&](const auto& is_cached) {
    std::uint64_t cached = 0;
    for (std::uint64_t i = 0; i < kSamples; ++i) cached += is_cached(part * i + random() % part);
    return static_cast<double>(cached) / static_cast<double>(kSamples);
  };
  const MappedPages pages(file_.get(), static_cast<std::uint64_t>(opened_.st_size));
  const double resident =
      share([&](std::uint64_t offset) { return pages.are_resident(begin_ + offset); });
  // All of a file that this user may not write is said to be resident. A read tells, but brings the
  // page, and finds it where the disk is faster than the system's look.
  if (resident < 1) return resident;
  return share([&](std::uint64_t offset) {
    std::byte sample{};
    return read_cached(offset, {&sample, 1});
  });
}

void InputFile::check_unchanged() const {
  const struct stat now = stat_of(file_.get(), name_);
  if (now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec)
    throw std::runtime_error(name_ +
                             ": the file changed while it was read; run again when it is complete");
  // A time of writing can be set back; so do other changes that leave the bytes, such as chmod.
  if (now.st_ctim.tv_sec != opened_.st_ctim.tv_sec ||
      now.st_ctim.tv_nsec != opened_.st_ctim.tv_nsec)
    say("warning: " + name_ +
        " was changed in some way while it was read, and its time of writing was not: run again if "
        "its bytes were written");
}

}  // namespace xpose::app
