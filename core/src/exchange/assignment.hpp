// The assignment of columns to rows that gains most.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace xpose {

// For each of `count` rows a column of its own, so that the sum of gain(row, column) is the
// greatest. The Hungarian method by shortest augmenting paths (Jonker and Volgenant, "A Shortest
// Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems", 1987): O(count^3).
std::vector<std::size_t> best_assignment(
    std::size_t count, const std::function<std::int64_t(std::size_t, std::size_t)>& gain);

}  // namespace xpose
