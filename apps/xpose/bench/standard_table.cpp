#include "bench/standard_table.hpp"

#include <utility>

namespace xpose::app {
namespace {

std::string bytes_of(std::uint32_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string shape(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + 'x' + std::to_string(cols);
}

// Collects the cells of one device kind.
class Rows {
 public:
  explicit Rows(DeviceKind kind) : device_{kind, 0} {}

  Problem problem(std::int64_t rows, std::int64_t cols, std::uint32_t bytes) const {
    Problem made = matrix(rows, cols, bytes, device_);
    made.in_alignment = made.out_alignment = 256;
    return made;
  }

  Problem batch(std::int64_t count, std::int64_t rows, std::int64_t cols,
                std::uint32_t bytes) const {
    Problem made = problem(rows, cols, bytes);
    made.batch = {{count, rows * cols, rows * cols}};
    return made;
  }

  // Rows and columns of the input so many elements longer than their matrix.
  Problem padded(std::int64_t extent, std::uint32_t bytes, std::int64_t elements) const {
    Problem made = problem(extent, extent, bytes);
    made.in_ld = made.out_ld = extent + elements;
    return made;
  }

  Problem in_place(std::int64_t extent, std::uint32_t bytes, std::int64_t elements) const {
    Problem made = padded(extent, bytes, elements);
    made.in_place = true;
    return made;
  }

  // Elements of more than 16 bytes. Their marks are not known yet.
  void add_fat(std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
    add("fat elements", problem(rows, cols, bytes), 0, 0, shape(rows, cols));
  }

  Cell& add(const std::string& row, Problem problem, int reach, int aim,
            const std::string& detail = {}) {
    std::string name = row + ", " + (detail.empty() ? "" : detail + ", ");
    name += bytes_of(problem.element_bytes);
    cells_.push_back({row, std::move(name), std::move(problem), false, 0, reach, aim});
    return cells_.back();
  }

  // Both directions of a matrix that is no square.
  void add_both(const std::string& row, std::int64_t rows, std::int64_t cols, std::uint32_t bytes,
                int reach, int aim) {
    add(row, problem(rows, cols, bytes), reach, aim, shape(rows, cols));
    add(row, problem(cols, rows, bytes), reach, aim, shape(cols, rows));
  }

  std::vector<Cell> take() { return std::move(cells_); }

 private:
  Device device_;
  std::vector<Cell> cells_;
};

// The extent of an aligned square of about so much memory, by element size.
constexpr std::pair<std::uint32_t, std::int64_t> kGibibyteSquares[] = {
    {1, 32768}, {2, 23168}, {4, 16384}, {8, 11584}, {16, 8192}};
constexpr std::pair<std::uint32_t, std::int64_t> kSmallerSquares[] = {  // 64 MiB
    {1, 8192},
    {2, 5792},
    {4, 4096},
    {8, 2896},
    {16, 2048}};

std::vector<Cell> cuda_table() {
  Rows rows(DeviceKind::cuda);
  for (const auto& [bytes, extent] : kGibibyteSquares)
    rows.add("square of 1 GiB", rows.problem(extent, extent, bytes), 97, 99);
  for (const auto& [bytes, extent] : kSmallerSquares)
    rows.add("square of 64 MiB", rows.problem(extent, extent, bytes), 96, 99);
  rows.add("1024x1024, warm", rows.problem(1024, 1024, 4), 90, 97).warm = true;
  for (const std::uint32_t bytes : {2U, 4U, 8U})
    rows.add("16383x16385", rows.problem(16383, 16385, bytes), 92, 97);
  rows.add("16383x16385", rows.problem(16383, 16385, 1), 88, 95);
  rows.add("leading dimensions one element longer", rows.padded(16384, 4, 1), 92, 97);
  for (const std::uint32_t bytes : {4U, 8U})
    rows.add_both("a side of 16", 1'000'000, 16, bytes, 92, 97);
  for (const std::uint32_t bytes : {1U, 4U})
    rows.add_both("a side of 3", 30'000'000, 3, bytes, 85, 95);
  for (const bool warm : {false, true}) {
    const std::string row = warm ? "a side of 128, warm" : "a side of 128";
    rows.add(row, rows.problem(65536, 128, 2), 85, 95, "65536x128").warm = warm;
    rows.add(row, rows.problem(128, 65536, 2), 85, 95, "128x65536").warm = warm;
  }
  rows.add("NCHW to NHWC", rows.batch(256, 64, 3136, 2), 92, 97, "256 of 64x3136");
  rows.add("NCHW to NHWC", rows.batch(64, 3, 262'144, 2), 92, 97, "64 of 3x262144");
  rows.add("NHWC to NCHW", rows.batch(256, 3136, 64, 2), 92, 97, "256 of 3136x64");
  rows.add("NHWC to NCHW", rows.batch(64, 262'144, 3, 2), 92, 97, "64 of 262144x3");
  rows.add("small matrices", rows.batch(1'000'000, 5, 5, 4), 85, 95, "1000000 of 5x5");
  rows.add("small matrices", rows.batch(4096, 32, 32, 4), 85, 95, "4096 of 32x32");
  rows.add("small matrices", rows.batch(100'000, 16, 16, 8), 85, 95, "100000 of 16x16");
  rows.add("over 2^32 elements, 70000x70000", rows.problem(70'000, 70'000, 1), 95, 98);
  rows.add("in place, 16384x16384", rows.in_place(16384, 4, 0), 90, 97);
  rows.add("in place, 16384x16384", rows.in_place(16384, 4, 1), 0, 0, "one element longer");
  rows.add_fat(4096, 4096, 64);
  rows.add_fat(8192, 2048, 48);
  return rows.take();
}

constexpr std::int64_t kLine = 64;  // bytes by which padded leading dimensions are longer

std::vector<Cell> host_table() {
  Rows rows(DeviceKind::host);
  const auto square = [&](std::int64_t extent, std::uint32_t bytes, int reach, int aim) {
    rows.add("square", rows.problem(extent, extent, bytes), reach, aim, shape(extent, extent))
        .row += " of " + bytes_of(bytes);
  };
  const auto padded = [&](std::int64_t extent, std::uint32_t bytes, int reach, int aim) {
    rows.add("square, padded", rows.padded(extent, bytes, kLine / bytes), reach, aim,
             shape(extent, extent))
        .row += " of " + bytes_of(bytes);
  };
  square(4096, 4, 80, 95);
  square(8192, 4, 80, 95);
  padded(4096, 4, 93, 98);
  padded(8192, 4, 93, 98);
  rows.add("4095x4097", rows.problem(4095, 4097, 4), 82, 94);
  rows.add_both("a side of 16", 1'000'000, 16, 4, 97, 100);
  square(4096, 8, 87, 96);
  padded(4096, 8, 97, 100);
  square(8192, 2, 80, 93);
  square(8192, 1, 75, 92);
  padded(8192, 1, 90, 97);
  square(4096, 16, 90, 98);
  Cell& resident = rows.add("512x512, warm, one thread", rows.problem(512, 512, 4), 60, 85);
  resident.warm = true;
  resident.threads = 1;
  rows.add("in place, 4096x4096", rows.in_place(4096, 4, 0), 75, 95);
  rows.add("in place, 4096x4096", rows.in_place(4096, 4, kLine / 4), 105, 125, "padded");
  rows.add("a side of 3", rows.problem(10'000'000, 3, 4), 0, 0, shape(10'000'000, 3));
  rows.add("a side of 3", rows.problem(3, 10'000'000, 1), 0, 0, shape(3, 10'000'000));
  rows.add("small matrices", rows.batch(1'000'000, 5, 5, 4), 0, 0, "1000000 of 5x5");
  rows.add_fat(1024, 1024, 64);
  rows.add_fat(1024, 1024, 48);
  rows.add("fat elements in place", rows.in_place(1024, 64, 0), 0, 0, shape(1024, 1024));
  return rows.take();
}

}  // namespace

std::vector<Cell> standard_table(DeviceKind kind) {
  return kind == DeviceKind::cuda ? cuda_table() : host_table();
}

}  // namespace xpose::app
