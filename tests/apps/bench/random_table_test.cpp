// The problems of `xpose bench --random`.
#include "bench/random_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace xpose::app {
namespace {

constexpr std::uint64_t kMost = 1 << 30;

double array_bytes(const Problem& problem) {
  auto bytes = static_cast<double>(problem.rows * problem.cols) * problem.element_bytes;
  for (const BatchDim& dim : problem.batch) bytes *= static_cast<double>(dim.extent);
  return bytes;
}

TEST(RandomTable, OneSeedIsOneListHoweverLong) {
  const std::vector<Cell> few = random_table(DeviceKind::host, {5, 7, kMost});
  const std::vector<Cell> many = random_table(DeviceKind::cuda, {50, 7, kMost});
  const std::vector<Cell> others = random_table(DeviceKind::host, {5, 8, kMost});
  ASSERT_EQ(many.size(), 50U);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].name, many[i].name);
    EXPECT_EQ(few[i].problem.rows, many[i].problem.rows);
    EXPECT_TRUE(few[i].name.starts_with("random 7." + std::to_string(i + 1) + ", "));
    EXPECT_NE(few[i].name.substr(11), others[i].name.substr(11));
  }
  EXPECT_EQ(many[0].problem.device, (Device{DeviceKind::cuda, 0}));
}

TEST(RandomTable, HasMatricesAndPermutationsOfAllSizesThatTheLibraryServes) {
  std::set<std::string> names;
  std::set<std::string> groups;
  std::set<std::uint32_t> alignments;
  bool padded = false;
  bool batch = false;
  bool folded = false;  // elements of no power of two
  std::size_t most_axes = 0;
  for (const Cell& cell : random_table(DeviceKind::host, {400, 1, kMost})) {
    SCOPED_TRACE(cell.name);
    EXPECT_TRUE(names.insert(cell.name).second);
    EXPECT_EQ(cell.refused, "");
    EXPECT_EQ(cell.row, cell.group);
    EXPECT_FALSE(cell.on_request || cell.has_marks());
    EXPECT_LE(array_bytes(cell.problem), kMost);
    EXPECT_GE(array_bytes(cell.problem), kLeastRandomBytes / 2.0);  // extents are rounded down
    groups.insert(cell.group);
    alignments.insert(cell.problem.in_alignment);
    padded = padded || cell.name.find("rows of") != std::string::npos;
    batch = batch || cell.name.find(" of ") != std::string::npos;
    folded = folded || cell.name.ends_with(", 3 bytes");
    most_axes = std::max(most_axes, cell.problem.batch.size() + 2);
  }
  EXPECT_EQ(groups.size(), 8U);
  EXPECT_EQ(alignments, (std::set<std::uint32_t>{1, 2, 4, 8, 16, 256}));
  EXPECT_TRUE(padded && batch && folded);
  EXPECT_GT(most_axes, 12U);  // qubits
}

}  // namespace
}  // namespace xpose::app
