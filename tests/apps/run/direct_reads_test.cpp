// Pieces at any place of a file are read past the page cache as they are in it.
#include "run/direct_reads.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../temporary_folder.hpp"
#include "fake_ring.hpp"

namespace xpose::app {
namespace {

// Reads the half of what is asked for, in whole sectors.
std::unique_ptr<Ring> short_ring(std::size_t) {
  return std::make_unique<FakeRing>([](const DirectFile& file, const Transfer& t) {
    return file.call({t.offset, t.bytes.first((t.bytes.size() / 2 + 4095) / 4096 * 4096)});
  });
}

// Refuses from the third submission on.
std::unique_ptr<Ring> ring_that_ends(std::size_t) {
  auto ring = std::make_unique<FakeRing>(
      [](const DirectFile& file, const Transfer& t) { return file.call(t); });
  ring->submit_answers = [](int call) { return call < 3 ? 0 : -EPERM; };
  return ring;
}

std::unique_ptr<Ring> damaged_ring(std::size_t) {
  return std::make_unique<FakeRing>([](const DirectFile&, const Transfer&) { return -EIO; });
}

class DirectReads : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 700'001;  // more than two buffers, and no whole sector

  void SetUp() override {
    for (std::size_t i = 0; i < kBytes; ++i) content_[i] = static_cast<char>(i * 7919 >> 5);
    std::ofstream(path_, std::ios::binary) << content_;
    input_.emplace(path_);
    if (!input_->open_direct())
      GTEST_SKIP() << "SKIPPED: the file system of " << folder_.path() << " has no O_DIRECT";
  }

  // Pieces of all lengths at all places.
  void expect_right(MakeRing make) {
    std::vector<std::vector<std::byte>> found;
    std::vector<FilePiece> pieces;
    for (const std::uint64_t begin : {0, 1, 511, 512, 513, 4095, 4096, 300'000, 699'990})
      for (const std::uint64_t size : {1, 2, 511, 512, 4096, 4097, 262'144, 400'001})
        if (begin + size <= kBytes) {
          found.emplace_back(size);
          pieces.push_back({begin, found.back()});
        }
    pieces.push_back({0, found.emplace_back(kBytes)});
    read_at_once(*input_, pieces, make);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(found[i].data()), found[i].size()),
                content_.substr(pieces[i].offset, found[i].size()))
          << pieces[i].offset;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
  std::string content_ = std::string(kBytes, '\0');
  std::optional<InputFile> input_;
};

TEST_F(DirectReads, AreTheBytesOfThatPlace) {
  for (const MakeRing make : {&make_ring, &no_ring, &short_ring, &ring_that_ends})
    expect_right(make);
}

TEST_F(DirectReads, ThatFailInTheRingAloneAreMadeByCalls) { expect_right(damaged_ring); }

TEST_F(DirectReads, OfAFileThatBecameShorterAreAnError) {
  std::filesystem::resize_file(path_, 5000);
  std::vector<std::byte> to(6000);
  std::vector<std::byte> other(6000);
  for (const MakeRing make : {&make_ring, &no_ring}) try {
      read_at_once(*input_, {{0, to}, {300'000, other}}, make);
      FAIL() << "read what is not there";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()),
                path_.string() +
                    ": the file became shorter while it was read; run again when it is complete");
    }
}

}  // namespace
}  // namespace xpose::app
