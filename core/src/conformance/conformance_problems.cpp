#include "conformance/conformance_problems.hpp"

#include <algorithm>
#include <array>

#include "conformance/problem_collection.hpp"

namespace xpose {
namespace {

using Shape = ProblemCollection::Shape;

// Gaps of several pages of memory, which can be closed: between rows, and between matrices.
void add_with_long_gaps(ProblemCollection& all) {
  const std::int64_t gap = std::max<std::int64_t>(12288 / all.element_bytes(), 1);
  all.add_padded({9, 21}, 21 + gap, 9 + gap);
  all.add_batch({19, 6}, 4, gap, gap);
}

// More matrices, and more tiles in a column, than a grid dimension of 65535 takes.
void add_beyond_grids(ProblemCollection& all, std::int64_t side) {
  if (all.is_on_host()) return;
  all.add(2, 2).batch = {{70001, 4, 5}};
  all.add(side, 2);
  all.add(2, side);
}

// Fewer and smaller shapes, since each element is many bytes.
std::vector<Problem> fat_problems(std::uint32_t element_bytes, Device device) {
  ProblemCollection all(element_bytes, device);
  // The last is large enough for several threads.
  constexpr Shape kShapes[] = {{1, 1},   {1, 40},   {40, 1},   {2, 3},    {7, 9},   {8, 8},
                               {16, 16}, {17, 33},  {33, 17},  {15, 64},  {64, 48}, {3, 259},
                               {259, 3}, {131, 61}, {61, 131}, {257, 331}};
  all.add_all(kShapes);
  // Leading dimensions padded by an odd number, to a power of two, and of the output alone.
  all.add_padded({35, 31}, 31 + 7, 35 + 5);
  all.add_padded({50, 100}, 128, 64);
  all.add(8, 24).out_ld = 10;
  // Batches: dense; with gaps; two dimensions; interleaved; broadcast input; many small ones.
  all.add_batch({17, 33}, 5);
  all.add_batch({32, 16}, 3, 11, 13);
  all.add(9, 11).batch = {{2, 600, 150}, {4, 150, 400}};
  const std::int64_t shape[] = {3, 11, 5, 19};
  all.add_interleaved(shape);
  all.add_permuted(shape, std::array{2, 0, 3, 1});
  all.add_broadcast({20, 12});
  all.add_batch({5, 5}, 100);
  add_beyond_grids(all, 530001);
  // Bases aligned to a part, to less, and to one byte.
  for (const std::uint32_t aligned : {16U, 8U, 4U, 2U, 1U})
    all.add_misaligned(aligned, {19, 21}, {32, 40});
  for (const std::int64_t side : {2, 3, 8, 16, 17, 33, 70, 263}) all.add_in_place(side);
  all.add_in_place(19, 5);
  all.add_in_place(33).batch = {{5, 1089, 1089}};
  ProblemCollection::set_alignment(all.add_in_place(20), 1);
  add_with_long_gaps(all);
  all.add_aligned([&] {
    all.add(17, 33);
    all.add_permuted(shape, std::array{2, 0, 3, 1});
  });
  return all.take();
}

void add_matrices(ProblemCollection& all) {
  // The last ones have whole vectors in every row, tiles that no edge cuts, and output rows that
  // begin within a sector of 32 bytes, of 1 and of 2 bytes.
  constexpr Shape kShapes[] = {
      {1, 1},     {1, 1000},  {1000, 1}, {2, 3},   {3, 1025},    {1025, 3},  {31, 33},   {257, 131},
      {127, 509}, {509, 127}, {16, 16},  {32, 32}, {64, 64},     {128, 256}, {256, 128}, {63, 65},
      {129, 127}, {31, 32},   {32, 33},  {17, 15}, {1023, 1025}, {272, 256}, {264, 256}};
  all.add_all(kShapes);
  // Leading dimensions padded by an odd number, and to whole tiles.
  all.add_padded({65, 63}, 63 + 7, 65 + 5);
  all.add_padded({100, 200}, 256, 128);
}

// Dense; with gaps; two dimensions; interleaved with the columns; broadcast input.
void add_batches(ProblemCollection& all) {
  all.add_batch({33, 65}, 5);
  all.add_batch({64, 32}, 3, 11, 13);
  all.add(17, 19).batch = {{2, 1600, 400}, {4, 400, 1000}};
  const std::int64_t shape[] = {4, 21, 5, 37};
  all.add_interleaved(shape);
  all.add_broadcast({40, 24});
}

void add_short_sides_and_small_matrices(ProblemCollection& all) {
  // Several blocks long: dense, in a batch, with runs that are nowhere aligned.
  all.add(1040, 16);
  all.add(16, 1040);
  all.add_batch({3, 1040}, 4);
  all.add_batch({1040, 3}, 4);
  all.add(9, 1037).in_ld = 1041;
  all.add(1037, 6).out_ld = 1039;
  // One behind the other, several to a block.
  for (const Shape& shape : {Shape{5, 5}, {16, 16}, {12, 6}, {2, 31}, {144, 2}, {2, 150}})
    all.add_batch(shape, 9000 / (shape.first * shape.second));
  for (const bool output : {false, true}) {
    Problem& skewed = all.add(16, 8);
    skewed.batch = {{65, 128, 128}};
    (output ? skewed.out_alignment : skewed.in_alignment) = all.element_bytes();
  }
}

constexpr std::int64_t kPoints[] = {13, 37, 3}, kReversed[] = {3, 5, 7, 11, 13},
                       kTwos[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

// Problems for strategies that permute, and for no others.
void add_runs_and_backward_axes(ProblemCollection& all) {
  all.add_permuted(kPoints, std::array{1, 0, 2});
  for (const auto& shape : {std::to_array<std::int64_t>({5, 7, 1000}), {9, 35, 61}}) {
    all.add_permuted(shape, std::array{1, 0, 2});
    ProblemCollection::set_alignment(all.last(), all.element_bytes());
  }
  // Pairs at addresses of an element.
  all.add_permuted(std::to_array<std::int64_t>({67, 12, 2}), std::array{1, 0, 2});
  ProblemCollection::set_alignment(all.last(), all.element_bytes());
  // Columns that lie a power of two apart in the input's runs.
  all.add_permuted(std::to_array<std::int64_t>({2, 3, 259, 8}), std::array{1, 0, 3, 2});
  all.add_permuted(kTwos, std::array{3, 7, 0, 9, 5, 10, 1, 8, 2, 6, 4});
  // Rows, columns and a batch that lie backwards, in the input and in the output.
  all.add_padded({45, 61}, -67, 49);
  all.add_padded({45, 61}, 61, -45);
  all.add(33, 9).batch = {{4, -300, 330}, {3, 1500, -1400}};
  // No axis has stride 1 on either side, and one repeats.
  all.add(1, 1).batch = {{19, 3, 90}, {7, -60, 2}, {5, 0, 16}};
}

// Axes that a tile takes whole, cuts or meets one by one: on both sides, on one, and in between.
void add_permutations(ProblemCollection& all) {
  constexpr std::int64_t kShuffled[] = {4, 3, 9, 5, 3, 6}, kHalves[] = {2, 2, 2, 2, 2, 2, 2, 2};
  all.add_permuted(kReversed, std::array{4, 3, 2, 1, 0});
  all.add_permuted(kShuffled, std::array{2, 0, 4, 1, 5, 3});
  all.add_permuted(kShuffled, std::array{5, 0, 3, 1, 4, 2});
  all.add_permuted(kHalves, std::array{5, 2, 7, 0, 3, 6, 1, 4});
  all.add_permuted(std::to_array<std::int64_t>({2, 130, 3, 67}), std::array{3, 0, 2, 1});
  // Gaps on both sides, and an axis of the input that repeats.
  all.add(6, 10).batch = {{3, 70, 11000}, {4, 300, 90}, {5, 0, 500}};
  add_runs_and_backward_axes(all);
  if (!all.is_on_host()) return;
  // For several threads, aligned and not.
  const std::int64_t large[] = {9, 31, 5, 11, 2'200'000 / all.element_bytes() / 15'345 + 1};
  all.add_permuted(large, std::array{4, 2, 0, 3, 1});
  all.add_permuted(large, std::array{1, 3, 0, 4, 2});
  ProblemCollection::set_alignment(all.last(), 1);
}

// Around every usual tile and register, padded, batched, misaligned.
void add_squares_in_place(ProblemCollection& all) {
  for (const std::int64_t side : {2, 3, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 240, 257, 512})
    all.add_in_place(side);
  all.add_in_place(67, 5);
  all.add_in_place(100, 28);
  all.add_in_place(33).batch = {{5, 1089, 1089}};
  all.add_in_place(64).batch = {{3, 4107, 4107}};
  all.add_in_place(130).batch = {{2, 68000, 68000}, {3, 17000, 17000}};
  if (!all.is_on_host()) all.add_in_place(2).batch = {{70001, 5, 5}};
  // Whole vectors from row to row: only the base is misaligned.
  for (const std::uint32_t aligned : {all.element_bytes(), 1U})
    ProblemCollection::set_alignment(all.add_in_place(97, 31), aligned);
}

// Rows that keep no alignment in buffers that have it, kept runs of vectors, patches of images.
void add_aligned_buffers(ProblemCollection& all) {
  all.add_aligned([&] {
    all.add(31, 33);
    all.add_padded({65, 63}, 63 + 7, 65 + 5);
    all.add_batch({33, 65}, 5);
    all.add(9, 1037).in_ld = 1041;
    all.add(1037, 6).out_ld = 1039;
    all.add_in_place(67, 5);
    all.add_permuted(kPoints, std::array{1, 0, 2});
    all.add_permuted(kPoints, std::array{2, 0, 1});
    all.add_permuted(std::to_array<std::int64_t>({5, 35, 96}), std::array{1, 0, 2});
    all.add_permuted(std::to_array<std::int64_t>({2, 3, 5, 9, 4, 16}),
                     std::array{0, 2, 4, 3, 5, 1});
    all.add_permuted(kTwos, std::array{3, 7, 0, 9, 5, 10, 1, 8, 2, 6, 4});
    all.add_permuted(kReversed, std::array{4, 3, 2, 1, 0});
    all.add_padded({45, 61}, -67, 49);
  });
}

// For loops of processors.
void add_for_the_host(ProblemCollection& all) {
  // Short sides of every kind of access, padded, in a batch with gaps, misaligned.
  all.add(2, 1037).out_ld = 3;
  all.add(1037, 2).in_ld = 3;
  all.add(4, 1030).batch = {{3, 4123, 4127}};
  all.add(1030, 4).batch = {{3, 4123, 4127}};
  all.add(11, 6).batch = {{65, 67, 71}};
  for (const Shape& shape : {Shape{7, 1033}, {1033, 5}, {13, 1031}, {2077, 13}})
    ProblemCollection::set_alignment(all.add(shape.first, shape.second), 1);
  // A cache line high and wide.
  const std::int64_t line = std::max<std::int64_t>(64 / all.element_bytes(), 1);
  all.add(line, 5 * line + 3);
  all.add(5 * line + 3, line);
  // Pixels, of which several are a line: more than a strip of them, few and many rows, images.
  const std::array rows_and_cols = {1, 0, 2};
  all.add_permuted(std::to_array<std::int64_t>({161, 1103, 3}), rows_and_cols);
  all.add_permuted(std::to_array<std::int64_t>({64, 31, 3}), rows_and_cols);
  all.add_permuted(std::to_array<std::int64_t>({509, 43, 5}), rows_and_cols);
  ProblemCollection::set_alignment(all.last(), 1);
  all.add_permuted(std::to_array<std::int64_t>({9, 67, 45, 3}), std::array{0, 2, 1, 3});
  // The same for several threads.
  const std::int64_t elements = 2200000 / all.element_bytes();
  all.add(line, elements / line);
  all.add(elements / line, line);
  all.add(3, elements / 3);
  all.add(elements / 7, 7);
  all.add_batch({5, 5}, elements / 25);
}

}  // namespace

std::vector<Problem> conformance_problems(std::uint32_t element_bytes, Device device) {
  if (element_bytes > 16) return fat_problems(element_bytes, device);
  ProblemCollection all(element_bytes, device);
  add_matrices(all);
  add_batches(all);
  add_short_sides_and_small_matrices(all);
  add_permutations(all);
  add_beyond_grids(all, 2100001);
  // Bases aligned to one element, and to one byte. Elements of a GPU are split there, and
  // strategies of matrices launched for each row or column.
  all.add_misaligned(element_bytes, {67, 61}, {96, 160});
  if (all.is_on_host() || element_bytes == 1)
    all.add_misaligned(1, {67, 61}, {96, 160});
  else
    all.add_misaligned(1, {67, 11}, {96, 12});
  add_squares_in_place(all);
  add_with_long_gaps(all);
  if (all.is_on_host()) add_for_the_host(all);
  add_aligned_buffers(all);
  return all.take();
}

}  // namespace xpose
