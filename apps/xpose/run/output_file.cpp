#include "run/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <vector>

#include "output/named_descriptor.hpp"
#include "run/reserved_room.hpp"
#include "run/spool.hpp"

namespace xpose::app {
namespace {

// Bytes of one call: a signal waits for them, and dirty bytes grow by them.
constexpr std::size_t kStep = std::size_t{4} << 20;

// Of the bytes that may wait for the disk, this part is for the buffers of transfers past the page
// cache, or half of them for two buffers. Of the others, all but this part may be edges that wait
// for their pages.
constexpr std::uint64_t kShareOfBuffers = 4;
constexpr std::uint64_t kShareOfPages = 8;

// The bytes of the next call. A page whose beginning is still to come is written by a call of its
// own, because some kernels send the bytes of one call to the disk as one.
std::size_t step_at(std::uint64_t offset, bool begins_there) {
  const std::size_t in_page = offset % BandPlan::kPage;
  return begins_there && in_page != 0 ? BandPlan::kPage - in_page : kStep - in_page;
}

FileDescriptor stream_for(const std::filesystem::path& target, const std::string& name) {
  FileDescriptor stream = target == "-" ? FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0))
                                        : opened_stream(target, name);
  if (stream.get() < 0) fail(name, "cannot be written", errno);
  if (isatty(stream.get()) != 0)
    throw std::runtime_error(name + " is a terminal: redirect it to a file or a program");
  return stream;
}

FileDescriptor opened_again(const std::filesystem::path& target, const std::string& name) {
  FileDescriptor file(open(TemporaryFile::kept_name(target).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(name, "cannot be written", errno);
  return file;
}

}  // namespace

bool OutputFile::is_stream(const std::filesystem::path& target) {
  struct stat status {};
  return target == "-" || is_named_descriptor(target) ||
         (stat(target.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
}

OutputFile::OutputFile(const std::filesystem::path& target, std::uint64_t bytes,
                       std::uint64_t most_dirty, TemporaryFile::Kind kind)
    : name_(target == "-" ? "standard output" : target.string()),
      bytes_(bytes),
      most_dirty_(most_dirty) {
  if (is_stream(target)) {
    stream_ = stream_for(target, name_);
  } else {
    file_.emplace(target, kind);
    name_ = file_->target().string();
    if (kind == TemporaryFile::Kind::kept) flushed_ = opened_again(file_->target(), name_);
    reserve_room(fd(), bytes, name_, "cannot reserve its " + std::to_string(bytes) + " bytes");
  }
}

void OutputFile::write(std::uint64_t offset, std::span<const std::byte> bytes,
                       const Neighbours& written) {
  bool before = written.before;
  while (!bytes.empty()) {
    const std::size_t step = std::min(bytes.size(), step_at(offset, !before));
    const ssize_t put = is_stream() && !is_kept()
                            ? ::write(fd(), bytes.data(), step)
                            : pwrite(fd(), bytes.data(), step, static_cast<off_t>(offset));
    if (put < 0 && may_try_again(fd(), POLLOUT)) continue;
    if (put < 0) fail(name_, is_kept() ? not_kept() : "cannot be written", errno);
    const auto done = static_cast<std::size_t>(put);
    bytes = bytes.subspan(done);
    send(whole_pages({offset, offset + done}, {before, bytes.empty() && written.behind}));
    offset += done;
    before = true;
  }
}

bool OutputFile::open_direct() {
  const std::uint64_t two_buffers =
      std::min<std::uint64_t>(most_dirty_ / 2, 2 * DirectWrites::kBufferBytes);
  if (!file_ || !direct_.open(fd(), std::max(most_dirty_ / kShareOfBuffers, two_buffers)))
    return false;
  most_dirty_ -= std::min(most_dirty_, direct_.memory());
  joins_ = flushed_.get() < 0;
  edges_ = PageEdges(most_dirty_ - most_dirty_ / kShareOfPages);
  return true;
}

void OutputFile::write_direct(std::vector<Sectors> pieces) {
  const int error = direct_.write(pieces);
  if (error != 0) fail(name_, "cannot be written", error);
  std::vector<std::byte> block;
  for (const Sectors& piece : pieces) {
    block.resize(piece.size());
    piece.copy_to(block.data());
    write(piece.offset, block, {true, true});
  }
}

void OutputFile::keep() {
  if (!is_stream()) return;
  spool_ = disk_spool(name_);
  reserve_room(spool_.get(), bytes_, name_, not_kept());
}

void OutputFile::write_kept() {
  std::vector<char> block(kStep);
  lseek(spool_.get(), 0, SEEK_SET);
  for (;;) {
    const ssize_t got = read(spool_.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      fail(name_, "cannot be read from its temporary file in " + spool_folder().string(), errno);
    if (got == 0) return;
    write_text(stream_.get(), {block.data(), static_cast<std::size_t>(got)}, name_);
  }
}

void OutputFile::send(const ByteRange& pages) {
  if (pages.size() == 0 || is_stream()) return;
  sync(fd(), pages, SYNC_FILE_RANGE_WRITE);
  sent_.push_back(pages);
  dirty_ += pages.size();
  while (dirty_ + edges_.memory() > most_dirty_ && sent_.size() > 1) wait_for_first();
}

void OutputFile::wait_for_first() {
  const ByteRange& pages = sent_.front();
  sync(fd(), pages, SYNC_FILE_RANGE_WAIT_BEFORE);
  if (direct_.is_open())
    posix_fadvise(fd(), static_cast<off_t>(pages.begin), static_cast<off_t>(pages.size()),
                  POSIX_FADV_DONTNEED);
  dirty_ -= pages.size();
  sent_.pop_front();
}

// No signal ends a wait for the disk: a range is short, all of them are not.
std::function<void()> OutputFile::flushing() const {
  return [this, sent = sent_] {
    for (const ByteRange& range : sent) sync(flushed_.get(), range, SYNC_FILE_RANGE_WAIT_BEFORE);
    if (fdatasync(flushed_.get()) != 0) fail(name_, "cannot be written to the disk", errno);
  };
}

struct stat OutputFile::status() const {
  struct stat status {};
  if (fstat(fd(), &status) != 0) fail(name_, "cannot be examined", errno);
  return status;
}

void OutputFile::commit(const std::function<void()>& placed) {
  edges_.take_all([this](std::uint64_t offset, const PageEdges::Bytes& bytes) {
    write(offset, bytes, {true, true});
  });
  while (!sent_.empty()) wait_for_first();
  if (is_kept()) write_kept();
  if (file_) file_->commit(placed);
}

// commit() does the rest.
void OutputFile::sync(int fd, const ByteRange& range, unsigned flags) const {
  const int result =
      sync_file_range(fd, static_cast<off_t>(range.begin), static_cast<off_t>(range.size()), flags);
  if (result != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
    fail(name_, "cannot be written to the disk", errno);
}

}  // namespace xpose::app
