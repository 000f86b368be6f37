// The bytes that a problem moves or leaves, and the threads and the cache that they are worth.
#pragma once

#include <xpose/plugin.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "../matrices.hpp"

namespace host {

// Input plus output, in bytes.
inline int64_t traffic(const xpose_problem& problem) {
  return 2 * xpose::plugin::bytes_of(problem);
}

// Whether one thread has moved all of it before another one is awake.
inline bool is_for_one_thread(const xpose_problem& problem) {
  constexpr int64_t kOneThreadBytes = 512 << 10;
  return traffic(problem) <= kOneThreadBytes;
}

// The threads that a launch may bring.
inline int64_t most_threads(const xpose_problem& problem) {
  return std::max<int64_t>(problem.multiprocessors, 1);
}

// The threads that a launch may bring and a problem is worth.
inline int64_t worth_threads(const xpose_problem& problem) {
  return is_for_one_thread(problem) ? 1 : most_threads(problem);
}

// The bytes that each thread moves where many share the work; 0 where few do.
inline int64_t bytes_of_each_of_many(const xpose_problem& problem) {
  constexpr int64_t kMany = 8;
  const int64_t threads = worth_threads(problem);
  return threads < kMany ? 0 : traffic(problem) / threads;
}

// Whether input and output fit into the last level; true where its size is unknown.
inline bool fits_cache(const xpose_problem& problem) {
  const auto cache = static_cast<int64_t>(problem.cache_bytes);
  return cache <= 0 || traffic(problem) <= cache;
}

// The bytes from an output row to the next that are not written; 0 where other matrices lie there.
inline int64_t out_gap(const xpose_problem& problem) {
  for (uint32_t i = 0; i < problem.batch_rank; ++i)
    if (std::abs(problem.batch[i].out_stride) < problem.out_ld) return 0;
  return (problem.out_ld - problem.rows) * problem.element_bytes;
}

}  // namespace host
