// What the host strategies share: elements as opaque bytes, and steps split over threads.
#pragma once

#include <omp.h>
#include <xpose/plugin.h>

#include <algorithm>
#include <cstdint>

namespace host {

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

// Waking a thread costs about as much as moving this many bytes within the caches.
inline constexpr int64_t kBytesWorthAThread = 32 * 1024;

// Calls body(first, last) on disjoint ranges that cover [0, steps), on at most the given threads.
// A single range runs in the calling thread and enters no parallel region.
template <class Body>
void split(int64_t steps, int64_t bytes, uint32_t threads, const Body& body) {
  const int64_t worthwhile = std::max<int64_t>(1, bytes / kBytesWorthAThread);
  const int team = static_cast<int>(std::min<int64_t>({threads, steps, worthwhile}));
  if (team <= 1) return body(int64_t{0}, steps);
#pragma omp parallel num_threads(team)
  {
    // The runtime may grant fewer threads than asked for.
    const int64_t granted = omp_get_num_threads();
    const int64_t mine = omp_get_thread_num();
    body(steps * mine / granted, steps * (mine + 1) / granted);
  }
}

// Calls body(in, out, step) for each step < steps of each matrix of a problem of at most one batch
// dimension; in and out point at the matrix's element 0.
template <class E, class Body>
void for_each_step(const xpose_problem& problem, const xpose_launch& launch, int64_t steps,
                   const Body& body) {
  const xpose_batch_dim batch =
      problem.batch_rank == 0 ? xpose_batch_dim{1, 0, 0} : problem.batch[0];
  const int64_t bytes = batch.extent * problem.rows * problem.cols * int64_t{sizeof(E)};
  const E* const in = static_cast<const E*>(launch.in);
  E* const out = static_cast<E*>(launch.out);
  split(batch.extent * steps, bytes, launch.threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t matrix = i / steps;
      body(in + matrix * batch.in_stride, out + matrix * batch.out_stride, i % steps);
    }
  });
}

}  // namespace host
