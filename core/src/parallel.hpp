// Work of the core's own, split among the processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace xpose {

// body(begin, end) for parts of [0, count), at the same time where there are several times `grain`.
template <class Body>
void in_parallel(std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t workers = std::clamp<std::int64_t>(
      count / grain, 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
  const std::int64_t share = (count + workers - 1) / workers;
  std::vector<std::jthread> threads;
  for (std::int64_t begin = share; begin < count; begin += share)
    threads.emplace_back(
        [&body, begin, end = std::min(count, begin + share)] { body(begin, end); });
  body(0, std::min(count, share));
}

}  // namespace xpose
