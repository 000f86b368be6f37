#include "problem/alignment.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace xpose {
namespace {

constexpr std::uint32_t kLeastVector = 16;  // bytes that malloc aligns to, and vectors ask for

bool is_at_most(const Alignment& a, const Alignment& b) { return a.in <= b.in && a.out <= b.out; }

// By how many powers of two they differ.
int distance(const Alignment& a, const Alignment& b) {
  const auto between = [](std::uint32_t one, std::uint32_t other) {
    return std::abs(std::countr_zero(one) - std::countr_zero(other));
  };
  return between(a.in, b.in) + between(a.out, b.out);
}

}  // namespace

std::uint32_t common_alignment(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t bits = one | other | kWidestAlignment;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

Alignment row_alignment(const Problem& problem) {
  Alignment rows{common_alignment(problem.in_alignment, 0),
                 common_alignment(problem.out_alignment, 0)};
  const auto take = [&](std::int64_t extent, std::int64_t stride, std::uint32_t& side) {
    if (extent > 1)
      side = common_alignment(side, static_cast<std::uint64_t>(stride) * problem.element_bytes);
  };
  take(problem.rows, problem.in_ld, rows.in);
  take(problem.cols, problem.out_ld, rows.out);
  for (const BatchDim& dim : problem.batch) {
    take(dim.extent, dim.in_stride, rows.in);
    take(dim.extent, dim.out_stride, rows.out);
  }
  return rows;
}

Problem aligned_as_rows(Problem problem) {
  const Alignment rows = row_alignment(problem);
  problem.in_alignment = rows.in;
  problem.out_alignment = rows.out;
  return problem;
}

Alignment key_alignment(const Problem& problem) {
  const Alignment rows = row_alignment(problem);
  const auto kept = [](std::uint32_t first, std::uint32_t all) {
    return first < kLeastVector ? all : std::max(all, kLeastVector);
  };
  return {kept(problem.in_alignment, rows.in), kept(problem.out_alignment, rows.out)};
}

std::vector<Problem> alike_in_alignment(const Problem& normal) {
  Problem other = normal;
  other.in_alignment = other.out_alignment = kLeastVector;
  const Alignment least = row_alignment(other), own = key_alignment(normal);
  std::vector<Problem> all = {normal};
  if (!is_at_most(least, row_alignment(normal))) return all;
  for (std::uint32_t in = 1; in <= kWidestAlignment; in *= 2)
    for (std::uint32_t out = 1; out <= kWidestAlignment; out *= 2) {
      if (normal.in_place && in != out) continue;
      other.in_alignment = in;
      other.out_alignment = out;
      const Alignment kept = key_alignment(other);
      if (kept == Alignment{in, out} && kept != own && is_at_most(least, row_alignment(other)))
        all.push_back(other);
    }
  std::ranges::stable_sort(all, {}, [&](const Problem& one) {
    const Alignment kept = key_alignment(one);
    return std::pair(!is_at_most(kept, own), distance(kept, own));
  });
  return all;
}

}  // namespace xpose
