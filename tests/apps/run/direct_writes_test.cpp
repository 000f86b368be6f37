// Ranges of a file that are written past the page cache are there, however the file system refuses.
#include "run/direct_writes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "../../temporary_folder.hpp"
#include "fake_ring.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kSector = DirectWrites::kSector;
constexpr std::size_t kBuffer = DirectWrites::kBufferBytes;
constexpr std::uint64_t kMemory = 4 * kBuffer;

// The calls that a file system without O_DIRECT, or a full disk, answers in another way.
std::atomic<int> calls;
std::atomic<int> most_at_once;
std::atomic<int> at_once;

ssize_t refuse_from_third(int fd, const void* from, std::size_t bytes, off_t offset) {
  if (++calls < 3) return pwrite(fd, from, bytes, offset);
  errno = EINVAL;
  return -1;
}

ssize_t full_from_third(int fd, const void* from, std::size_t bytes, off_t offset) {
  if (++calls < 3) return pwrite(fd, from, bytes, offset);
  errno = ENOSPC;
  return -1;
}

// Ends within a sector, and is interrupted each other time.
ssize_t write_short(int fd, const void* from, std::size_t bytes, off_t offset) {
  if (++calls % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  if (bytes == kSector) return pwrite(fd, from, bytes, offset);
  const ssize_t put = pwrite(fd, from, bytes / 2 / kSector * kSector, offset);
  return put < 0 ? put : put + 5;
}

ssize_t write_part_of_a_sector(int, const void*, std::size_t, off_t) { return 100; }

ssize_t count_at_once(int fd, const void* from, std::size_t bytes, off_t offset) {
  const int now = ++at_once;
  int most = most_at_once;
  while (most < now && !most_at_once.compare_exchange_weak(most, now)) {
  }
  const ssize_t put = pwrite(fd, from, bytes, offset);
  --at_once;
  return put;
}

// Those of a ring meet what calls meet.
std::unique_ptr<Ring> ring_of_calls(std::size_t depth) {
  most_at_once = static_cast<int>(depth);
  return std::make_unique<FakeRing>(
      [](const DirectFile& file, const Transfer& t) { return file.call(t); });
}

// Takes nothing from the third submission on.
std::unique_ptr<Ring> ring_that_ends(std::size_t) {
  auto ring = std::make_unique<FakeRing>(
      [](const DirectFile& file, const Transfer& t) { return file.call(t); });
  ring->submit_answers = [](int call) { return call < 3 ? 0 : -EPERM; };
  return ring;
}

class DirectWritesTest : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 9 * kBuffer + 3 * kSector;

  void SetUp() override {
    calls = most_at_once = at_once = 0;
    for (std::size_t i = 0; i < kBytes; ++i) content_[i] = static_cast<std::byte>(i * 7919 >> 5);
    file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(ftruncate(file_.get(), kBytes), 0);
    DirectWrites probe;
    if (!probe.open(file_.get(), kMemory))
      GTEST_SKIP() << "SKIPPED: the file system of " << folder_.path() << " has no O_DIRECT";
  }

  void begin_anew() {
    calls = 0;
    ASSERT_EQ(ftruncate(file_.get(), 0), 0);
    ASSERT_EQ(ftruncate(file_.get(), kBytes), 0);
  }

  std::span<const std::byte> content(std::size_t at, std::size_t size) const {
    return std::span(content_).subspan(at, size);
  }

  // All of it but a sector at either end, in three pieces, with parts that others have of the first
  // and the last sectors.
  std::vector<Sectors> pieces() const {
    constexpr std::size_t kFirst = 5 * kBuffer + kSector, kSecond = kFirst + 2 * kSector;
    return {piece(kSector, kFirst, 100, 70), piece(kFirst, kSecond, 4095, 1),
            piece(kSecond, kBytes - kSector, 0, 4000)};
  }

  Sectors piece(std::size_t begin, std::size_t end, std::size_t before, std::size_t behind) const {
    const auto copied = [this](std::size_t at, std::size_t size) {
      return std::vector(content_.begin() + static_cast<std::ptrdiff_t>(at),
                         content_.begin() + static_cast<std::ptrdiff_t>(at + size));
    };
    return {begin, content(begin + before, end - begin - before - behind), copied(begin, before),
            copied(end - behind, behind)};
  }

  std::vector<std::byte> written() const {
    std::vector<std::byte> bytes(kBytes);
    EXPECT_EQ(pread(file_.get(), bytes.data(), kBytes, 0), static_cast<ssize_t>(kBytes));
    return bytes;
  }

  // That the file and the pieces that are left are the content.
  void expect_whole(const std::vector<Sectors>& left) const {
    std::vector<std::byte> bytes = written();
    for (const Sectors& piece : left) piece.copy_to(bytes.data() + piece.offset);
    const auto ends = static_cast<std::ptrdiff_t>(kSector);
    std::copy_n(content_.begin(), ends, bytes.begin());
    std::copy_n(content_.end() - ends, ends, bytes.end() - ends);
    EXPECT_TRUE(bytes == content_);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
  std::vector<std::byte> content_ = std::vector<std::byte>(kBytes);
  FileDescriptor file_;
};

TEST_F(DirectWritesTest, AreAtTheirPlaces) {
  for (const MakeRing make : {&make_ring, &no_ring}) {
    begin_anew();
    DirectWrites direct(pwrite, make);
    ASSERT_TRUE(direct.open(file_.get(), kMemory));
    std::vector<Sectors> left = pieces();
    EXPECT_EQ(direct.write(left), 0);
    EXPECT_TRUE(left.empty());
    expect_whole({});
    EXPECT_EQ(written().front(), std::byte{0});
  }
}

TEST_F(DirectWritesTest, KeepToTheirMemory) {
  for (const std::uint64_t memory : {std::uint64_t{0}, kBuffer - 1, 3 * kBuffer, 1000 * kBuffer}) {
    for (const MakeRing make : {&no_ring, &ring_of_calls}) {
      DirectWrites direct(count_at_once, make);
      ASSERT_TRUE(direct.open(file_.get(), memory));
      EXPECT_LE(direct.memory(), std::max<std::uint64_t>(memory, kBuffer));
      EXPECT_LE(direct.memory(), 32 * kBuffer);
      most_at_once = 0;
      std::vector<Sectors> left = pieces();
      EXPECT_EQ(direct.write(left), 0);
      EXPECT_LE(most_at_once * kBuffer, direct.memory());
    }
  }
}

TEST_F(DirectWritesTest, TakeWholeSectorsOfLongRanges) {
  DirectWrites direct;
  EXPECT_EQ(direct.part_of({0, kBytes}), (ByteRange{kBytes, kBytes}));  // not open
  ASSERT_TRUE(direct.open(file_.get(), kMemory));
  EXPECT_EQ(direct.part_of({0, kBytes}), (ByteRange{0, kBytes}));
  EXPECT_EQ(direct.part_of({1, kBytes - 1}), (ByteRange{kSector, kBytes - kSector}));
  EXPECT_EQ(direct.part_of({1, kSector + kBuffer}), (ByteRange{kSector, kSector + kBuffer}));
  const std::uint64_t end = kSector + kBuffer - 1;
  EXPECT_EQ(direct.part_of({1, end}), (ByteRange{end, end}));
  EXPECT_EQ(direct.part_of({1, 2}), (ByteRange{2, 2}));
}

TEST_F(DirectWritesTest, RefusedHalfWayLeaveTheRest) {
  for (const MakeRing make : {&no_ring, &ring_of_calls}) {
    begin_anew();
    DirectWrites direct(refuse_from_third, make);
    ASSERT_TRUE(direct.open(file_.get(), kMemory));
    std::vector<Sectors> left = pieces();
    EXPECT_EQ(direct.write(left), 0);
    EXPECT_FALSE(left.empty());
    expect_whole(left);
    EXPECT_EQ(direct.part_of({0, kBytes}).size(), 0u);  // from now on
  }
}

TEST_F(DirectWritesTest, LessThanASectorLeavesTheRest) {
  for (const MakeRing make : {&no_ring, &ring_of_calls}) {
    begin_anew();
    DirectWrites direct(write_part_of_a_sector, make);
    ASSERT_TRUE(direct.open(file_.get(), kMemory));
    std::vector<Sectors> left = pieces();
    EXPECT_EQ(direct.write(left), 0);
    expect_whole(left);
  }
}

TEST_F(DirectWritesTest, ShortOrInterruptedGoOn) {
  for (const MakeRing make : {&no_ring, &ring_of_calls}) {
    begin_anew();
    DirectWrites direct(write_short, make);
    ASSERT_TRUE(direct.open(file_.get(), kMemory));
    std::vector<Sectors> left = pieces();
    EXPECT_EQ(direct.write(left), 0);
    EXPECT_TRUE(left.empty());
    expect_whole({});
  }
}

TEST_F(DirectWritesTest, OnAFullDiskAreAnError) {
  for (const MakeRing make : {&no_ring, &ring_of_calls}) {
    begin_anew();
    DirectWrites direct(full_from_third, make);
    ASSERT_TRUE(direct.open(file_.get(), kMemory));
    std::vector<Sectors> left = pieces();
    EXPECT_EQ(direct.write(left), ENOSPC);
  }
}

TEST_F(DirectWritesTest, GoOnWithoutARingThatEnds) {
  DirectWrites direct(pwrite, ring_that_ends);
  ASSERT_TRUE(direct.open(file_.get(), kMemory));
  std::vector<Sectors> left = pieces();
  EXPECT_EQ(direct.write(left), 0);
  EXPECT_TRUE(left.empty());
  expect_whole({});
}

TEST(DirectWrites, AreNoneWhereTheFileSystemOpensNoFileForThem) {
  const FileDescriptor file(open("/proc/self/comm", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(file.get(), 0);
  DirectWrites direct;
  EXPECT_FALSE(direct.open(file.get(), kMemory));
  EXPECT_EQ(direct.part_of({0, 100 * kBuffer}).size(), 0u);
}

}  // namespace
}  // namespace xpose::app
