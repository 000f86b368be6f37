#include <algorithm>
#include <utility>

#include "conformance/conformance.hpp"

namespace xpose {
namespace {

// Gaps of several pages of memory, which can be closed: between rows, and between matrices.
void add_with_long_gaps(std::vector<Problem>& problems, std::uint32_t element_bytes,
                        Device device) {
  const std::int64_t gap = std::max<std::int64_t>(12288 / element_bytes, 1);
  problems.push_back(matrix(9, 21, element_bytes, device));
  problems.back().in_ld = 21 + gap;
  problems.back().out_ld = 9 + gap;
  problems.push_back(matrix(19, 6, element_bytes, device));
  problems.back().batch = {{4, std::int64_t{19} * 6 + gap, std::int64_t{19} * 6 + gap}};
}

// Of fat elements: fewer and smaller shapes, since each element is many bytes.
std::vector<Problem> fat_problems(std::uint32_t element_bytes, Device device) {
  std::vector<Problem> problems;
  const auto add = [&](std::int64_t rows, std::int64_t cols) -> Problem& {
    return problems.emplace_back(matrix(rows, cols, element_bytes, device));
  };
  // The last is large enough for several threads.
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1, 1},   {1, 40},  {40, 1},  {2, 3},   {7, 9},   {8, 8},    {16, 16},  {17, 33},
      {33, 17}, {15, 64}, {64, 48}, {3, 259}, {259, 3}, {131, 61}, {61, 131}, {257, 331}};
  for (const auto& [rows, cols] : shapes) add(rows, cols);
  // Leading dimensions padded by an odd number, and to a power of two.
  Problem& odd = add(35, 31);
  odd.in_ld = 31 + 7;
  odd.out_ld = 35 + 5;
  Problem& even = add(50, 100);
  even.in_ld = 128;
  even.out_ld = 64;
  add(8, 24).out_ld = 10;
  // Batches: dense; with gaps; two dimensions; interleaved with the columns; broadcast input.
  add(17, 33).batch = {{5, std::int64_t{17} * 33, std::int64_t{17} * 33}};
  add(32, 16).batch = {{3, 32 * 16 + 11, 32 * 16 + 13}};
  add(9, 11).batch = {{2, std::int64_t{4} * 150, 150}, {4, 150, 400}};
  const std::int64_t shape[] = {3, 11, 5, 19};
  const int axes[] = {0, 3, 2, 1};
  problems.push_back(permutation(shape, axes, element_bytes, device));
  add(20, 12).batch = {{3, 0, std::int64_t{20} * 12}};
  add(5, 5).batch = {{100, 25, 25}};
  if (device.kind == DeviceKind::cuda) {
    // More matrices, and more tiles in a column, than a grid dimension of 65535 takes.
    add(2, 2).batch = {{70001, 4, 5}};
    add(530001, 2);
    add(2, 530001);
  }
  // Bases aligned to a part, to less, and to one byte.
  for (const std::uint32_t aligned : {16U, 8U, 4U, 2U, 1U}) {
    add(19, 21).in_alignment = aligned;
    add(21, 19).out_alignment = aligned;
    Problem& both = add(32, 40);
    both.in_alignment = both.out_alignment = aligned;
  }
  const auto add_in_place = [&](std::int64_t side) -> Problem& {
    Problem& problem = add(side, side);
    problem.in_place = true;
    return problem;
  };
  for (const std::int64_t side : {2, 3, 8, 16, 17, 33, 70, 263}) add_in_place(side);
  Problem& padded = add_in_place(19);
  padded.in_ld = padded.out_ld = 24;
  add_in_place(33).batch = {{5, 1089, 1089}};
  Problem& skewed = add_in_place(20);
  skewed.in_alignment = skewed.out_alignment = 1;
  add_with_long_gaps(problems, element_bytes, device);
  return problems;
}

}  // namespace

std::vector<Problem> conformance_problems(std::uint32_t element_bytes, Device device) {
  if (element_bytes > 16) return fat_problems(element_bytes, device);
  std::vector<Problem> problems;
  const auto add = [&](std::int64_t rows, std::int64_t cols) -> Problem& {
    return problems.emplace_back(matrix(rows, cols, element_bytes, device));
  };
  // The last ones have whole vectors in every row, tiles that no edge cuts, and output rows that
  // begin within a sector of 32 bytes, of 1 and of 2 bytes.
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1, 1},     {1, 1000},  {1000, 1}, {2, 3},   {3, 1025},    {1025, 3},  {31, 33},   {257, 131},
      {127, 509}, {509, 127}, {16, 16},  {32, 32}, {64, 64},     {128, 256}, {256, 128}, {63, 65},
      {129, 127}, {31, 32},   {32, 33},  {17, 15}, {1023, 1025}, {272, 256}, {264, 256}};
  for (const auto& [rows, cols] : shapes) add(rows, cols);
  // Leading dimensions padded by an odd number, and to whole tiles.
  Problem& odd = add(65, 63);
  odd.in_ld = 63 + 7;
  odd.out_ld = 65 + 5;
  Problem& even = add(100, 200);
  even.in_ld = 256;
  even.out_ld = 128;
  // Batches: dense; with gaps; two dimensions; interleaved with the columns; broadcast input.
  add(33, 65).batch = {{5, std::int64_t{33} * 65, std::int64_t{33} * 65}};
  add(64, 32).batch = {{3, 64 * 32 + 11, 64 * 32 + 13}};
  add(17, 19).batch = {{2, std::int64_t{4} * 400, 400}, {4, 400, 1000}};
  const std::int64_t shape[] = {4, 21, 5, 37};
  const int axes[] = {0, 3, 2, 1};
  problems.push_back(permutation(shape, axes, element_bytes, device));
  add(40, 24).batch = {{3, 0, std::int64_t{40} * 24}};
  // Short sides, several blocks long: dense, in a batch, with runs that are nowhere aligned.
  add(1040, 16);
  add(16, 1040);
  add(3, 1040).batch = {{4, std::int64_t{3} * 1040, std::int64_t{3} * 1040}};
  add(1040, 3).batch = {{4, std::int64_t{3} * 1040, std::int64_t{3} * 1040}};
  add(9, 1037).in_ld = 1041;
  add(1037, 6).out_ld = 1039;
  // Small matrices one behind the other, several to a block.
  for (const auto& [rows, cols] : {std::pair{5, 5}, {16, 16}, {12, 6}, {2, 31}}) {
    const std::int64_t area = std::int64_t{rows} * cols;
    add(rows, cols).batch = {{std::int64_t{9000} / area, area, area}};
  }
  for (const bool output : {false, true}) {
    Problem& skewed = add(16, 8);
    skewed.batch = {{65, 128, 128}};
    (output ? skewed.out_alignment : skewed.in_alignment) = element_bytes;
  }
  if (device.kind == DeviceKind::cuda) {
    // More matrices, and more tiles in a column, than a grid dimension of 65535 takes.
    add(2, 2).batch = {{70001, 4, 5}};
    add(2100001, 2);
    add(2, 2100001);
  }
  // Bases aligned to one element, and to one byte.
  for (const std::uint32_t aligned : {element_bytes, std::uint32_t{1}}) {
    Problem& input = add(67, 61);
    input.in_alignment = aligned;
    Problem& output = add(61, 67);
    output.out_alignment = aligned;
    Problem& both = add(96, 160);
    both.in_alignment = both.out_alignment = aligned;
  }
  // In place: around every usual tile and register, padded, batched, misaligned.
  const auto add_in_place = [&](std::int64_t side) -> Problem& {
    Problem& problem = add(side, side);
    problem.in_place = true;
    return problem;
  };
  const auto pad = [](Problem& problem, std::int64_t by) {
    problem.in_ld = problem.out_ld = problem.cols + by;
  };
  for (const std::int64_t side : {2, 3, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 240, 257, 512})
    add_in_place(side);
  pad(add_in_place(67), 5);
  pad(add_in_place(100), 28);
  add_in_place(33).batch = {{5, 1089, 1089}};
  add_in_place(64).batch = {{3, 4107, 4107}};
  add_in_place(130).batch = {{2, std::int64_t{4} * 17000, std::int64_t{4} * 17000},
                             {3, 17000, 17000}};
  if (device.kind == DeviceKind::cuda) add_in_place(2).batch = {{70001, 5, 5}};
  for (const std::uint32_t aligned : {element_bytes, std::uint32_t{1}}) {
    Problem& problem = add_in_place(97);
    problem.in_alignment = problem.out_alignment = aligned;
    pad(problem, 31);  // whole vectors from row to row: only the base is misaligned
  }
  add_with_long_gaps(problems, element_bytes, device);
  if (device.kind == DeviceKind::host) {
    // Short sides of every kind of access, padded, in a batch with gaps, misaligned.
    add(2, 1037).out_ld = 3;
    add(1037, 2).in_ld = 3;
    add(4, 1030).batch = {{3, 4123, 4127}};
    add(1030, 4).batch = {{3, 4123, 4127}};
    add(11, 6).batch = {{65, 67, 71}};
    for (const auto& [rows, cols] : {std::pair{7, 1033}, {1033, 5}, {13, 1031}, {2077, 13}}) {
      Problem& problem = add(rows, cols);
      problem.in_alignment = problem.out_alignment = 1;
    }
    // A cache line high and wide.
    const std::int64_t line = std::max<std::int64_t>(64 / element_bytes, 1);
    add(line, 5 * line + 3);
    add(5 * line + 3, line);
    // The same for several threads.
    const std::int64_t elements = 2200000 / element_bytes;
    add(line, elements / line);
    add(elements / line, line);
    add(3, elements / 3);
    add(elements / 7, 7);
    add(5, 5).batch = {{elements / 25, 25, 25}};
  }
  return problems;
}

}  // namespace xpose
