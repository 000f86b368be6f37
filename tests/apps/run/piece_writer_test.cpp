// Pieces of a file are at their places, wherever they begin and end, and share pages.
#include "run/piece_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "../../temporary_folder.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kSector = DirectWrites::kSector;
constexpr std::size_t kBuffer = DirectWrites::kBufferBytes;

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7919 >> 5);
  return bytes;
}

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// Behind a header, of a file that ends anywhere.
TEST(PieceWriter, WritesRangesThatShareSectors) {
  const TemporaryFolder folder;
  const std::vector<std::byte> all = pattern(kSector + 4 * (3 * kBuffer + 4095) + 12346);
  for (const std::size_t header : {0, 1, 80, 128, 4095, 4096, 4097})
    for (const std::size_t step : {kBuffer, kBuffer + 1, 3 * kBuffer + 4095, kSector + 7}) {
      const auto content = std::span(all).first(header + 4 * step + 12345);
      const std::filesystem::path path = folder.path() / "file";
      OutputFile file(path, content.size(), std::uint64_t{1} << 20, TemporaryFile::Kind::nameless);
      if (!file.open_direct())
        GTEST_SKIP() << "SKIPPED: the file system of " << folder.path() << " has no O_DIRECT";
      file.write(0, content.first(header), {true, false});
      PieceWriter writer(file);
      for (std::size_t at = header; at < content.size(); at += step) {
        const std::size_t size = std::min(step, content.size() - at);
        writer.write(at, content.subspan(at, size), {true, false});
      }
      writer.finish();
      file.commit();
      EXPECT_TRUE(std::ranges::equal(content_of(path), content)) << header << ' ' << step;
    }
}

// Rows that are cut into blocks, written one band of rows and one block after the other, as
// BandPlan has them.
struct Rows {
  std::size_t rows, bytes, block, band;

  // Calls write(range, neighbours) of each piece, and wrote() behind each tile.
  template <class Write, class Wrote>
  void for_each_piece(std::size_t header, const Write& write, const Wrote& wrote) const {
    for (std::size_t first = 0; first < rows; first += band)
      for (std::size_t column = 0; column < bytes; column += block) {
        const std::size_t size = std::min(block, bytes - column);
        for (std::size_t row = first; row < std::min(first + band, rows); ++row)
          write(ByteRange{header + row * bytes + column, header + row * bytes + column + size},
                Neighbours{column != 0, column + size == bytes});
        wrote();
      }
  }
};

class PieceWriterOfRows : public testing::TestWithParam<Rows> {
 protected:
  // Returns the most memory of edges behind a tile.
  std::uint64_t write(std::uint64_t most_dirty, TemporaryFile::Kind kind) {
    const Rows& of = GetParam();
    constexpr std::size_t kHeader = 128;
    const std::vector<std::byte> content = pattern(kHeader + of.rows * of.bytes);
    const std::filesystem::path path = folder_.path() / "file";
    OutputFile file(path, content.size(), most_dirty, kind);
    is_direct_ = file.open_direct();
    file.write(0, std::span(content).first(kHeader), {true, false});
    std::uint64_t most = 0;
    PieceWriter writer(file);
    of.for_each_piece(
        kHeader,
        [&](const ByteRange& range, const Neighbours& written) {
          writer.write(range.begin, std::span(content).subspan(range.begin, range.size()), written);
        },
        [&] {
          writer.finish();
          if (file.edges() != nullptr) most = std::max(most, file.edges()->memory());
        });
    if (file.edges() != nullptr) left_ = file.edges()->memory();
    file.commit();
    EXPECT_TRUE(content_of(path) == content);
    return most;
  }

  TemporaryFolder folder_;
  bool is_direct_ = false;
  std::uint64_t left_ = 0;  // memory of edges behind the last tile
};

TEST_P(PieceWriterOfRows, JoinsThePagesThatTilesShare) {
  const std::uint64_t edges = write(std::uint64_t{64} << 20, TemporaryFile::Kind::nameless);
  if (!is_direct_)
    GTEST_SKIP() << "SKIPPED: the file system of " << folder_.path() << " has no O_DIRECT";
  const Rows& of = GetParam();
  constexpr std::size_t kShort = 512;
  EXPECT_EQ(edges > 0, of.block >= kShort);
  // The page of the header and one between bands are left. Very short pieces leave others.
  const std::size_t rest = of.bytes % of.block, bands = (of.rows + of.band - 1) / of.band;
  if (rest == 0 || rest >= kShort) {
    EXPECT_LE(left_, (bands + 1) * (kSector + 200));
  }
}

// The rest goes through the page cache.
TEST_P(PieceWriterOfRows, KeepsToItsMemory) {
  for (const std::uint64_t most : {0, 4096, 20000})
    EXPECT_LE(write(kBuffer + most, TemporaryFile::Kind::nameless), most);
}

// What a journal says is written is on the disk, and in no memory.
TEST_P(PieceWriterOfRows, OfAFileThatIsKeptLeavesNothingForLater) {
  EXPECT_EQ(write(std::uint64_t{64} << 20, TemporaryFile::Kind::kept), 0u);
}

INSTANTIATE_TEST_SUITE_P(Rows, PieceWriterOfRows,
                         testing::Values(Rows{45, 34000, 6848, 20}, Rows{45, 12289, 4097, 10},
                                         Rows{31, 20001, 5000, 31}, Rows{20, 16384, 8192, 7},
                                         Rows{9, 700001, 300000, 4}, Rows{300, 9000, 1000, 100},
                                         Rows{64, 8191, 4096, 64}, Rows{3, 5000, 5000, 1},
                                         Rows{50, 6001, 512, 11}, Rows{50, 700, 600, 50},
                                         Rows{40, 20224, 2304, 13}, Rows{70, 1100, 550, 70},
                                         Rows{40, 3000, 500, 20}, Rows{5, 4096, 1024, 5}));

TEST(PageEdges, AreTakenOnceByEitherEnd) {
  PageEdges edges(1000);
  std::vector<std::byte> bytes = pattern(300), other = pattern(100), many = pattern(900),
                         late = pattern(100);
  EXPECT_TRUE(edges.keep(5000, bytes, PageEdges::Wait::next));
  EXPECT_TRUE(edges.keep(6000, other, PageEdges::Wait::next));
  EXPECT_FALSE(edges.keep(9000, many, PageEdges::Wait::next));
  EXPECT_EQ(many, pattern(900));
  EXPECT_FALSE(edges.keep(9000, late, PageEdges::Wait::later));
  EXPECT_EQ(edges.take_ending_at(5000), std::nullopt);
  EXPECT_EQ(edges.take_ending_at(5300), pattern(300));
  EXPECT_EQ(edges.take_beginning_at(5000), std::nullopt);
  EXPECT_EQ(edges.take_beginning_at(6000), pattern(100));
  EXPECT_EQ(edges.take_ending_at(6100), std::nullopt);
  EXPECT_EQ(edges.memory(), 0u);
}

TEST(PageEdges, ThatAreLeftAreTakenAtTheEnd) {
  PageEdges edges(1000);
  std::vector<std::byte> bytes = pattern(300);
  EXPECT_TRUE(edges.keep(5000, bytes, PageEdges::Wait::next));
  int parts = 0;
  edges.take_all([&](std::uint64_t offset, const std::vector<std::byte>& left) {
    EXPECT_EQ(offset, 5000u);
    EXPECT_EQ(left, pattern(300));
    ++parts;
  });
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(edges.memory(), 0u);
  EXPECT_EQ(edges.take_ending_at(5300), std::nullopt);
}

}  // namespace
}  // namespace xpose::app
