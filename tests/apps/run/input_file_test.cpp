// A look at a file's pages does not make it one that lies in memory.
#include "run/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../temporary_folder.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kPages = 1 << 14;
const std::size_t kBytes = kPages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

// The numbers of the file's pages that lie in memory, ascending, by the system's own account.
std::vector<std::size_t> resident_pages(int fd) {
  void* const mapped = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("mmap failed");
  std::vector<unsigned char> is_resident(kPages);
  const int result = mincore(mapped, kBytes, is_resident.data());
  munmap(mapped, kBytes);
  if (result != 0) throw std::runtime_error("mincore failed");
  std::vector<std::size_t> pages;
  for (std::size_t i = 0; i < kPages; ++i)
    if ((is_resident[i] & 1) != 0) pages.push_back(i);
  return pages;
}

// The pages that a look brings, of a file of which the system was asked to forget all.
std::vector<std::size_t> pages_brought(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY));
  if (fsync(file.get()) != 0 || posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) != 0)
    throw std::runtime_error("the file's pages cannot be dropped");
  const std::vector<std::size_t> before = resident_pages(file.get());
  InputFile(path).cached_share();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the disk brings them meanwhile
  const std::vector<std::size_t> after = resident_pages(file.get());
  std::vector<std::size_t> brought;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(brought));
  return brought;
}

TEST(InputFile, LooksAtOtherPagesEachTime) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::ofstream(path) << std::string(kBytes, 'x');
  const std::vector<std::size_t> first = pages_brought(path);
  const std::vector<std::size_t> second = pages_brought(path);
  if (first.empty() || second.empty()) GTEST_SKIP() << "SKIPPED: files here lie in memory";
  if (std::max(first.size(), second.size()) > kPages / 4)
    GTEST_SKIP() << "SKIPPED: the system reads far ahead of a page here";
  std::vector<std::size_t> common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(common));
  EXPECT_LT(common.size(), (second.size() + 1) / 2)
      << first.size() << " pages were brought by the first look, " << second.size()
      << " by the second";
}

}  // namespace
}  // namespace xpose::app
