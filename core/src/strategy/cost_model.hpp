// The predicted time of a launch, from the figures of its quote: a choice without a clock.
// core/NOTES.md has the measurements that it is fitted to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "xpose/xpose.hpp"

namespace xpose {

// The figures of a quote; the fields are those of xpose_quote.
struct Demand {
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0;
  std::uint32_t shared_bytes = 0;
  std::uint64_t load_run = 0;
  std::uint64_t store_run = 0;
  std::uint32_t slower_percent = 0;
  std::uint32_t traits = 0;
  bool operator==(const Demand&) const = default;
};

inline constexpr double kNotPredicted = std::numeric_limits<double>::infinity();

// Up to as many times the best one, a time is as good as it.
inline constexpr double kNearRatio = 1.05;
// The same for predictions: those of a GPU are more precise than those of a host.
constexpr double near_prediction_ratio(DeviceKind kind) {
  return kind == DeviceKind::host ? kNearRatio : 1.02;
}
// A prediction over as many times the best one is far behind.
inline constexpr double kFarBehindRatio = 2;

// The time of the launch over that of moving the same bytes at the full bandwidth of the memory, so
// 1 and more; kNotPredicted where the figures were not said. `problem` [normal form] without the
// batch dimensions that the strategy does not take itself; `launches`: one for each index of those.
// `warm`: the caches hold the buffers, if they are large enough.
double predicted_time(const Demand& demand, const Problem& problem, const DeviceInfo& device,
                      bool warm, std::int64_t launches = 1);

// [normal form] The time, in the same unit, that launches for each index of the dimensions from
// `batch_rank` on add where they write parts of the same lines of a host's memory.
double shared_lines_time(const Problem& problem, std::size_t batch_rank);

}  // namespace xpose
