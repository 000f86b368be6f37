// The share of all host strategies: elements as opaque bytes, and steps split over threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <xpose/plugin.hpp>

#include "traffic.hpp"

namespace host {

inline constexpr int64_t kLine = 64;  // bytes
// Half of the second-level cache of a core, the least that recent servers have. The other half is
// left to the side that comes by in whole lines.
inline constexpr int64_t kSets = 1024;
inline constexpr int64_t kWays = 4;

// So many places of memory are followed at once as if each were alone.
inline constexpr int64_t kStreams = 48;

// Bytes moved side by side by a loop that takes one element from each of `count` places, `ld`
// elements apart, before it comes to their neighbours, `length` of them: all of those where the
// places are few, those of a line where the cache keeps all lines until then, as far as there are
// any, else those that it takes of a line at once.
inline uint64_t strided_run(uint32_t element_bytes, int64_t count, int64_t ld, int64_t length) {
  if (count <= kStreams) return static_cast<uint64_t>(length) * element_bytes;
  const int64_t stride = (ld < 0 ? -ld : ld) * element_bytes;
  const int64_t lines = stride < kLine ? count * stride / kLine : count;
  const int64_t sets = stride % kLine == 0 ? kSets / std::gcd(kSets, stride / kLine) : kSets;
  const int64_t at_once = stride < kLine ? kLine / stride : 1;
  const int64_t line = stride < kLine ? kLine : std::min(kLine, length * element_bytes);
  return static_cast<uint64_t>(lines <= sets * kWays ? line : at_once * element_bytes);
}

// A loop that moves one element at a time takes so much longer, over the bytes of an element.
inline constexpr uint32_t kOneAtATimePercent = 320;

// Short output rows that lie a line or more apart: each has a line of its own, which nobody
// foresees. A loop that moves narrow elements takes so much longer, over the bytes of an element.
inline constexpr uint32_t kLoneRowPercent = 280;

inline bool are_rows_alone(const xpose_problem& problem) {
  const int64_t row = problem.rows * problem.element_bytes;
  return row < kLine && problem.out_ld * problem.element_bytes - row >= kLine;
}

// Of loops that go through one input row after another, or one output row.
inline xpose::plugin::Demand demand_by_input_rows(const xpose_problem& problem) {
  return {
      .load_run = static_cast<uint64_t>(problem.cols) * problem.element_bytes,
      .store_run = strided_run(problem.element_bytes, problem.cols, problem.out_ld, problem.rows),
      .slower_percent = kOneAtATimePercent / problem.element_bytes};
}
inline xpose::plugin::Demand demand_by_output_rows(const xpose_problem& problem) {
  return {.load_run = strided_run(problem.element_bytes, problem.rows, problem.in_ld, problem.cols),
          .store_run = static_cast<uint64_t>(problem.rows) * problem.element_bytes,
          .slower_percent = (kOneAtATimePercent + (are_rows_alone(problem) ? kLoneRowPercent : 0)) /
                            problem.element_bytes};
}

// An element at any address: its alignment is 1, and copying one compiles to a plain move.
template <int Bytes>
struct Element {
  unsigned char bytes[Bytes];
};

// Calls body with an element of the given size, so that body is compiled for every size.
template <class Body>
void with_element(uint32_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(Element<1>{});
    case 2:
      return body(Element<2>{});
    case 4:
      return body(Element<4>{});
    case 8:
      return body(Element<8>{});
    case 16:
      return body(Element<16>{});
  }
}

// Handing work to another thread costs about as much as moving this many bytes within the caches.
inline constexpr int64_t kBytesWorthAThread = 32 * 1024;

// Calls body(first, last) on disjoint ranges that cover [0, steps), one a thread, on at most so
// many.
template <class Body>
void split(const xpose_launch& launch, uint32_t threads, int64_t steps, int64_t bytes,
           const Body& body) {
  const int64_t worthwhile = std::max<int64_t>(1, bytes / kBytesWorthAThread);
  const int64_t parts = std::max<int64_t>(1, std::min<int64_t>({threads, steps, worthwhile}));
  xpose::plugin::run_parts(launch, static_cast<uint32_t>(parts), [&](int64_t part) {
    body(steps * part / parts, steps * (part + 1) / parts);
  });
}

// Calls body(in, out, step) for each step < steps of each matrix of a problem; in and out point at
// the matrix's element 0.
template <class E, class Body>
void for_each_step(const xpose_problem& problem, const xpose_launch& launch, int64_t steps,
                   const Body& body) {
  const int64_t matrices = xpose::plugin::matrices_of(problem);
  const E* const in = static_cast<const E*>(launch.in);
  E* const out = static_cast<E*>(launch.out);
  const uint32_t threads = is_for_one_thread(problem) ? 1 : launch.threads;
  split(launch, threads, matrices * steps, xpose::plugin::bytes_of(problem),
        [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last;) {
            int64_t matrix = i / steps, in_offset = 0, out_offset = 0;
            for (uint32_t dim = 0; dim < problem.batch_rank; ++dim) {
              const xpose_batch_dim& batch = problem.batch[dim];
              in_offset += matrix % batch.extent * batch.in_stride;
              out_offset += matrix % batch.extent * batch.out_stride;
              matrix /= batch.extent;
            }
            const int64_t end = std::min(last, i - i % steps + steps);
            for (; i < end; ++i) body(in + in_offset, out + out_offset, i % steps);
          }
        });
}

}  // namespace host
