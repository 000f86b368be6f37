// The problems of `xpose bench --only permutations`.
#include "bench/permutation_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace xpose::app {
namespace {

std::vector<Cell> of_row(DeviceKind kind, const std::string& begin) {
  std::vector<Cell> cells = permutation_table(kind);
  std::erase_if(cells, [&](const Cell& found) { return !found.row.starts_with(begin); });
  return cells;
}

TEST(PermutationTable, HasThe57OfTtcAndMoreSizesOnRequest) {
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
    std::set<std::string> names;
    for (const Cell& found : permutation_table(kind)) {
      EXPECT_TRUE(names.insert(found.name).second) << found.name;
      EXPECT_EQ(found.problem.device, (Device{kind, 0}));
      EXPECT_EQ(found.name.starts_with("permutations, "), !found.on_request) << found.name;
      EXPECT_EQ(found.refused.empty(), found.problem.rows * found.problem.cols > 0) << found.name;
    }
    EXPECT_EQ(of_row(kind, "permutations, rank ").size(), 57U);
    EXPECT_EQ(of_row(kind, "TTC, rank ").size(), 3 * 57U);
    EXPECT_EQ(of_row(kind, "permutations, qubits").size(), 6U);
    for (const char* use : {"heads", "patches", "channels", "pixel shuffle", "rotations", "pixels",
                            "points", "reversal", "a[::-1].T"})
      EXPECT_FALSE(of_row(kind, std::string("permutations, ") + use).empty()) << use;
  }
}

// The extents are column-major: axis 0 varies fastest, and output axis i is input axis perm[i].
TEST(PermutationTable, OfTtcIsInCOrder) {
  const auto problem = [](const std::string& name) {
    for (const Cell& found : permutation_table(DeviceKind::host))
      if (found.name == "permutations, TTC " + name + ", 4 bytes") return found.problem;
    throw std::out_of_range(name);
  };
  const Problem matrix = problem("1 0 of 43408x1216");
  EXPECT_EQ((std::vector{matrix.rows, matrix.cols}), (std::vector<std::int64_t>{1216, 43408}));

  Problem turned = problem("2 0 3 1 of 608x12x96x75");
  EXPECT_EQ(turned.cols, 608);
  EXPECT_EQ(turned.out_ld, 96);
  EXPECT_EQ(turned.rows, 96);
  EXPECT_EQ(turned.in_ld, 608 * 12);
  std::ranges::sort(turned.batch, {}, &BatchDim::extent);
  EXPECT_EQ(turned.batch,
            (std::vector<BatchDim>{{12, 608, 96 * 608 * 75}, {75, 608 * 12 * 96, 96 * 608}}));
}

TEST(PermutationTable, FillsAboutTheSameMemory) {
  const auto bytes = [](const Cell& found) {
    std::int64_t elements = found.problem.rows * found.problem.cols;
    for (const BatchDim& dim : found.problem.batch) elements *= dim.extent;
    return static_cast<double>(elements) * found.problem.element_bytes;
  };
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda})
    for (const Cell& found : permutation_table(kind)) {
      if (!found.refused.empty()) continue;
      const bool is_host = kind == DeviceKind::host;
      EXPECT_GE(bytes(found), found.row.starts_with("TTC") ? 40e6 : 28e6) << found.name;
      EXPECT_LE(bytes(found), is_host ? 500e6 : 4.4e9) << found.name;
      if (found.row.starts_with("permutations, rank")) {
        EXPECT_NEAR(bytes(found), 220e6, 30e6) << found.name;
      }
    }
}

}  // namespace
}  // namespace xpose::app
