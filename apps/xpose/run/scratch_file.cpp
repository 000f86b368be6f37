#include "run/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "output/pending_file.hpp"
#include "run/band_plan.hpp"
#include "run/output_file.hpp"
#include "run/reserved_room.hpp"
#include "run/spool.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kStep = std::size_t{4} << 20;  // of one call, for which a signal waits

std::filesystem::path checked(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw std::runtime_error(folder.string() +
                             " is not a folder: --scratch names one for the scratch file");
  return folder;
}

// The same file for reading, with room for all of it.
InputFile reserved(int fd, std::uint64_t bytes, std::uint64_t others, const std::string& name) {
  reserve_room(fd, bytes, name,
               "cannot reserve its " + std::to_string(bytes) +
                   " bytes (--scratch names another folder, --passes 1 needs none)",
               others);
  FileDescriptor again(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (again.get() < 0) fail(name, "cannot be read", errno);
  return {std::move(again), name};
}

}  // namespace

std::filesystem::path ScratchFile::folder_beside(const std::filesystem::path& output) {
  if (OutputFile::is_stream(output)) return spool_folder();
  const std::filesystem::path target = PendingFile::resolved(output);
  return target.has_parent_path() ? target.parent_path() : ".";
}

ScratchFile::ScratchFile(const std::filesystem::path& folder, std::uint64_t bytes,
                         std::uint64_t others, std::uint64_t most_dirty)
    : name_("the scratch file in " + folder.string()),
      file_(checked(folder) / "a scratch file"),
      written_(reserved(file_.fd(), bytes, others, name_)),
      most_dirty_(most_dirty) {}

void ScratchFile::write(std::span<const std::byte> bytes) {
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
  if (sent_ - waited_ <= most_dirty_) return;
  sync(waited_, sent_ - most_dirty_, SYNC_FILE_RANGE_WAIT_BEFORE);
  waited_ = sent_ - most_dirty_;
}

void ScratchFile::check() const { sync(0, sent_, SYNC_FILE_RANGE_WAIT_BEFORE); }

void ScratchFile::sync(std::uint64_t begin, std::uint64_t end, unsigned flags) const {
  const int result = sync_file_range(file_.fd(), static_cast<off_t>(begin),
                                     static_cast<off_t>(end - begin), flags);
  if (result != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
    fail(name_, "cannot be written to the disk", errno);
}

}  // namespace xpose::app
