// Work of the core's own, split among the processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "threads/lent_team.hpp"

namespace xpose {

// body(begin, end) for parts of [0, count), at the same time where there are several times `grain`
// and threads to be had.
template <class Body>
void in_parallel(std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t wanted = count / grain;
  // The system is asked for the processors only where they are used: the answer costs it a file.
  const std::int64_t parts =
      wanted < 2 ? 1
                 : std::clamp<std::int64_t>(
                       wanted, 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
  const std::int64_t share = (count + parts - 1) / parts;
  run_parts(static_cast<std::uint32_t>(parts), [&](std::int64_t part) {
    if (part * share < count) body(part * share, std::min(count, (part + 1) * share));
  });
}

}  // namespace xpose
