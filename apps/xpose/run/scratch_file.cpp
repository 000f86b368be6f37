#include "run/scratch_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "output/pending_file.hpp"
#include "run/band_plan.hpp"
#include "run/output_file.hpp"
#include "run/reserved_room.hpp"
#include "run/spool.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kStep = std::size_t{4} << 20;  // of one call, for which a signal waits
constexpr const char* kKeptFor = "scratch";
constexpr std::size_t kMark = 32;  // letters

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

// The place in the folder that a file kept for this output would replace.
std::filesystem::path kept_place(const std::filesystem::path& folder,
                                 const std::filesystem::path& kept_for) {
  const std::filesystem::path beside = folder_of(kept_for);
  std::error_code error;
  struct stat status {};
  if (std::filesystem::equivalent(folder, beside, error) || stat(beside.c_str(), &status) != 0)
    return folder / kept_for.filename();
  return folder / (kept_for.filename().string() + '-' + std::to_string(status.st_ino));
}

std::filesystem::path place_in(const std::filesystem::path& folder,
                               const std::optional<std::filesystem::path>& kept_for) {
  ScratchFile::check_folder(folder);
  return kept_for ? kept_place(folder, *kept_for) : folder / "a scratch file";
}

// The same file for reading, with room for all of it. One that another user made has that user for
// a reader.
InputFile reserved(int fd, const ScratchFile::Size& size, bool is_kept, const std::string& name) {
  struct stat status {};
  if (fstat(fd, &status) != 0) fail(name, "cannot be examined", errno);
  if (status.st_uid != geteuid())
    throw std::runtime_error(name + " belongs to another user: --scratch names another folder");
  reserve_room(fd, size.bytes + (is_kept ? kMark : 0), name,
               "cannot reserve its " + std::to_string(size.bytes) +
                   " bytes (--scratch names another folder, --passes 1 needs none)",
               size.others);
  FileDescriptor again(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (again.get() < 0) fail(name, "cannot be read", errno);
  return {std::move(again), name};
}

}  // namespace

std::filesystem::path ScratchFile::folder_beside(const std::filesystem::path& output) {
  if (OutputFile::is_stream(output)) return spool_folder();
  const std::filesystem::path target = PendingFile::resolved(output);
  return folder_of(target);
}

void ScratchFile::check_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw std::runtime_error(folder.string() +
                             " is not a folder: --scratch names one for the scratch file");
  if (access((folder / ".").c_str(), W_OK | X_OK) != 0)
    fail("the scratch file in " + folder.string(),
         "cannot be made (--scratch names another folder, --passes 1 needs none)", errno);
}

std::filesystem::path ScratchFile::kept_name(const std::filesystem::path& folder,
                                             const std::filesystem::path& kept_for) {
  return TemporaryFile::kept_name(kept_place(folder, kept_for), kKeptFor);
}

ScratchFile::ScratchFile(const std::filesystem::path& folder, const Size& size,
                         const std::optional<std::filesystem::path>& kept_for)
    : name_("the scratch file in " + folder.string()),
      file_(place_in(folder, kept_for),
            kept_for ? TemporaryFile::Kind::kept : TemporaryFile::Kind::nameless, kKeptFor),
      written_(reserved(file_.fd(), size, kept_for.has_value(), name_)),
      size_(size) {
  if (!kept_for) return;
  flushed_ = FileDescriptor(open(kept_name(folder, *kept_for).c_str(), O_RDONLY | O_CLOEXEC));
  if (flushed_.get() < 0) fail(name_, "cannot be opened again", errno);
}

void ScratchFile::remove_kept(const std::filesystem::path& folder,
                              const std::filesystem::path& kept_for) {
  unlink(kept_name(folder, kept_for).c_str());
}

std::string ScratchFile::mark() const {
  std::array<std::byte, kMark> bytes{};
  written_.read(size_.bytes, bytes);
  std::string mark;
  for (const std::byte letter : bytes)
    if (letter != std::byte{0}) mark += static_cast<char>(letter);
  return mark;
}

void ScratchFile::set_mark() {
  std::random_device random;
  std::string mark;
  while (mark.size() < kMark) mark += "0123456789abcdef"[random() % 16];
  if (pwrite(file_.fd(), mark.data(), kMark, static_cast<off_t>(size_.bytes)) !=
      static_cast<ssize_t>(kMark))
    fail(name_, "cannot be written", errno);
}

std::function<void()> ScratchFile::flushing() const {
  return [this] {
    if (fdatasync(flushed_.get()) != 0) fail(name_, "cannot be written to the disk", errno);
  };
}

void ScratchFile::open_direct() {
  if (!direct_.open(file_.fd(), size_.most_dirty / 2)) return;
  size_.most_dirty -= std::min(size_.most_dirty, direct_.memory());
  written_.open_direct();
}

// A page that two calls share goes through the cache.
void ScratchFile::write(std::span<const std::byte> bytes) {
  const ByteRange direct = direct_.part_of({end_, end_ + bytes.size()});
  if (direct.size() == 0) return write_cached(bytes);
  const std::size_t head = direct.begin - end_;
  write_cached(bytes.first(head));
  std::vector<Sectors> pieces = {{direct.begin, bytes.subspan(head, direct.size())}};
  const int error = direct_.write(pieces);
  if (error != 0) fail(name_, "cannot be written", error);
  // Those that the file system refuses; the first one ends this way of writing.
  for (const Sectors& piece : pieces) {
    end_ = piece.offset;
    write_cached(piece.bytes);
  }
  end_ = direct.end;
  write_cached(bytes.subspan(head + direct.size()));
}

void ScratchFile::write_cached(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put =
        pwrite(file_.fd(), bytes.data(), std::min(bytes.size(), kStep), static_cast<off_t>(end_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(name_, "cannot be written", errno);
    end_ += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    send();
  }
}

// Whole pages, so that none goes to the disk twice.
void ScratchFile::send() {
  const std::uint64_t pages = end_ / BandPlan::kPage * BandPlan::kPage;
  if (pages > sent_) sync(sent_, pages, SYNC_FILE_RANGE_WRITE);
  sent_ = pages;
  if (sent_ - waited_ <= size_.most_dirty) return;
  sync(waited_, sent_ - size_.most_dirty, SYNC_FILE_RANGE_WAIT_BEFORE);
  waited_ = sent_ - size_.most_dirty;
}

void ScratchFile::check() const { sync(0, sent_, SYNC_FILE_RANGE_WAIT_BEFORE); }

void ScratchFile::sync(std::uint64_t begin, std::uint64_t end, unsigned flags) const {
  const int result = sync_file_range(file_.fd(), static_cast<off_t>(begin),
                                     static_cast<off_t>(end - begin), flags);
  if (result != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
    fail(name_, "cannot be written to the disk", errno);
}

}  // namespace xpose::app
