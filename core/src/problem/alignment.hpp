// How the two sides of a problem are aligned: their first elements, as the caller says, and all
// their rows.
#pragma once

#include <cstdint>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

// Of the input and of the output: powers of two up to 256, in bytes.
struct Alignment {
  std::uint32_t in = 1;
  std::uint32_t out = 1;
  bool operator==(const Alignment&) const = default;
};

inline constexpr std::uint32_t kWidestAlignment = 256;

// The largest power of two, at most 256, that divides both numbers of bytes.
std::uint32_t common_alignment(std::uint64_t one, std::uint64_t other);

// [normal form] What divides the address of every row: of element 0, which Problem says, and of
// each stride that is really taken. Plugins are told no more.
Alignment row_alignment(const Problem& problem);

// [normal form] The same in buffers that are aligned as the rows are, and no more.
Problem aligned_as_rows(Problem problem);

// [normal form] What a key says, so that callers whose buffers begin here and there share a choice:
// what every row keeps, and 16 where the first element has that and the rows do not. Problems with
// one key are one to a plugin. Strategies that look at addresses may be faster from 16 bytes on.
Alignment key_alignment(const Problem& problem);

// [normal form] The problem itself, then those of other keys in buffers that begin elsewhere: those
// aligned to less, the nearest first, whose choices serve this one as well, then the others, which
// may. Below 16 bytes that rows would have kept, other strategies are fast: such a problem is
// alone.
std::vector<Problem> alike_in_alignment(const Problem& normal);

}  // namespace xpose
