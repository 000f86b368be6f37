// A look at a file's pages does not make it one that lies in memory.
#include "run/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "../../temporary_folder.hpp"

namespace xpose::app {
namespace {

TEST(InputFile, LooksAtOtherPagesEachTime) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::ofstream(path) << std::string(std::size_t{64} << 20, 'x');
  const FileDescriptor file(open(path.c_str(), O_RDONLY));
  ASSERT_EQ(fsync(file.get()), 0);
  ASSERT_EQ(posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  if (InputFile(path).cached_share() > 0.5) GTEST_SKIP() << "SKIPPED: files here lie in memory";
  // The disk brings the pages of the first look meanwhile.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(InputFile(path).cached_share(), 0.5);
}

}  // namespace
}  // namespace xpose::app
