// Whether a file lies in memory.
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

TEST(InputFile, IsLookedAtWithoutBeingRead) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::ofstream(path) << std::string(kBytes, 'x');
  const FileDescriptor file(open(path.c_str(), O_RDONLY));
  ASSERT_EQ(fsync(file.get()), 0);
  ASSERT_EQ(posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  const std::vector<std::size_t> before = resident_pages(file.get());
  if (before.size() > kPages / 2) GTEST_SKIP() << "SKIPPED: files here lie in memory";
  const double share = InputFile(path).cached_share();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the disk brings what was read
  const std::vector<std::size_t> after = resident_pages(file.get());
  std::vector<std::size_t> brought;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(brought));
  EXPECT_TRUE(brought.empty()) << brought.size() << " pages";
  EXPECT_NEAR(share, static_cast<double>(before.size()) / kPages, 0.3);  // 64 pages are drawn
}

TEST(InputFile, LiesInMemoryOnceItWasRead) {
  constexpr std::size_t kSmall = std::size_t{4} << 20;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::ofstream(path) << std::string(kSmall, 'x');
  const FileDescriptor file(open(path.c_str(), O_RDONLY));
  std::vector<char> bytes(kSmall);
  ASSERT_EQ(pread(file.get(), bytes.data(), kSmall, 0), static_cast<ssize_t>(kSmall));
  EXPECT_GT(InputFile(path).cached_share(), 0.9);
}

TEST(InputFile, ThatIsWrittenMeanwhileIsTold) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::ofstream(path) << "before";
  const InputFile file(path);
  file.check_unchanged();
  const auto written = std::filesystem::last_write_time(path);
  // Clocks of file systems may have steps of 10 ms.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::ofstream(path) << "behind";
  EXPECT_THROW(file.check_unchanged(), std::runtime_error);
  std::filesystem::last_write_time(path, written);
  testing::internal::CaptureStderr();
  file.check_unchanged();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("run again if its bytes were written"),
            std::string::npos);
}

}  // namespace
}  // namespace xpose::app
