// The kernel's ring, where it has one, reads and writes what a call does.
#include "run/ring.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "../../temporary_folder.hpp"
#include "output/file_descriptor.hpp"

namespace xpose::app {
namespace {

using Direction = DirectFile::Direction;

class RingTest : public testing::Test {
 protected:
  void SetUp() override {
    ring_ = make_ring(4);
    if (!ring_) GTEST_SKIP() << "SKIPPED: io_uring: " << std::generic_category().message(errno);
    ASSERT_EQ(pwrite(file_.get(), "0123456789", 10, 0), 10);
  }

  Ring::End end() {
    std::optional<Ring::End> end = ring_->pop();
    while (!end && ring_->wait() == 0) end = ring_->pop();
    return end.value_or(Ring::End{});
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
  FileDescriptor file_{open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  std::unique_ptr<Ring> ring_;
};

TEST_F(RingTest, Reads) {
  std::array<std::byte, 4> first{};
  std::array<std::byte, 9> second{};
  const DirectFile file{Direction::read, file_.get(), {}};
  ring_->push(file, {2, first}, 3);
  ring_->push(file, {5, second}, 0);
  EXPECT_EQ(ring_->submit(2), 2);
  for (int i = 0; i < 2; ++i) {
    const Ring::End got = end();
    EXPECT_EQ(got.result, got.tag == 3 ? 4 : 5);  // the file ends
  }
  EXPECT_FALSE(ring_->pop());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(first.data()), 4), "2345");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(second.data()), 5), "56789");
}

TEST_F(RingTest, Writes) {
  std::array<std::byte, 3> bytes = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  ring_->push({Direction::write, file_.get(), {}}, {4, bytes}, 1);
  EXPECT_EQ(ring_->submit(1), 1);
  const Ring::End put = end();
  EXPECT_EQ(put.tag, 1u);
  EXPECT_EQ(put.result, 3);
  std::string content(10, '\0');
  EXPECT_EQ(pread(file_.get(), content.data(), 10, 0), 10);
  EXPECT_EQ(content, "0123abc789");
}

TEST_F(RingTest, TellsErrorsOfAFile) {
  std::array<std::byte, 3> bytes{};
  const FileDescriptor unwritable(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  ring_->push({Direction::write, unwritable.get(), {}}, {0, bytes}, 2);
  ring_->push({Direction::read, -1, {}}, {0, bytes}, 1);
  int taken = ring_->submit(0);
  while (taken >= 0 && taken < 2) taken += ring_->submit(0);
  EXPECT_EQ(taken, 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(end().result, -EBADF);
}

TEST(Ring, OfTooManyTransfersIsRefusedWithAReason) {
  errno = 0;
  EXPECT_FALSE(make_ring(std::size_t{1} << 16));
  EXPECT_NE(errno, 0);
}

}  // namespace
}  // namespace xpose::app
