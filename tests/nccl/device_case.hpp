// A drawn route between two GPUs, whose arrays are compared with a loop over the elements.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../core/engine_fixture.hpp"
#include "../core/route/scattered.hpp"
#include "../core/route/threads_of_ranks.hpp"
#include "xpose/route.hpp"

namespace xpose {

inline void check_cuda_call(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(ErrorKind::device, std::string(what) + ": " + cudaGetErrorString(status));
}

inline int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
  return count;
}

// Of the device that is current.
class DeviceBytes {
 public:
  explicit DeviceBytes(const std::vector<std::byte>& content) : bytes_(content.size()) {
    check_cuda_call(cudaMalloc(&data_, bytes_ + 1), "allocating an array");
    check_cuda_call(cudaMemcpy(data_, content.data(), bytes_, cudaMemcpyHostToDevice), "filling");
  }
  ~DeviceBytes() { (void)cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;  // owns its memory
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  void* data() const { return data_; }
  std::vector<std::byte> content() const {
    std::vector<std::byte> bytes(bytes_);
    check_cuda_call(cudaMemcpy(bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost), "reading");
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

struct DeviceCase {
  DeviceCase() { options.deadline_seconds = 60; }

  // A drawn one.
  DeviceCase(std::uint64_t number, int ranks) : DeviceCase() {
    seed = number;
    Draw draw(seed);
    const auto bytes = static_cast<std::uint32_t>(draw.number(1, 16));
    const std::int64_t most = draw.number(0, 2) == 0 ? 1500 : 150;
    const std::int64_t rows = draw.number(1, most), cols = draw.number(1, most);
    options.transpose = draw.number(0, 2) > 0;
    from = draw.placement(rows, cols, bytes, ranks);
    to = options.transpose ? draw.placement(cols, rows, bytes, ranks)
                           : draw.placement(rows, cols, bytes, ranks);
    // Row slabs, as most callers have.
    if (draw.coin()) from = row_slabs(rows, cols, bytes, ranks);
    if (draw.coin())
      to = options.transpose ? row_slabs(cols, rows, bytes, ranks)
                             : row_slabs(rows, cols, bytes, ranks);
    if (draw.coin()) options.memory = static_cast<std::uint64_t>(draw.number(0, 200000));
    if (draw.number(0, 2) == 0) be_in_place(std::min(rows, cols), ranks, draw);
  }

  void be_in_place(std::int64_t side, int ranks, Draw& draw) {
    options.transpose = options.in_place = true;
    from = draw.coin() ? row_slabs(side, side, from.element_bytes, ranks)
                       : draw.placement(side, side, from.element_bytes, ranks);
    to = from;
    options.memory = std::max<std::uint64_t>(options.memory, 20000);  // of fewer chunks
  }

  // The arrays and the route of a rank, for two runs, because the second one has the plans and
  // buffers of the first.
  struct Held {
    std::unique_ptr<DeviceBytes> in, out[2];
    std::unique_ptr<Route> route;
    std::vector<std::byte> wanted;
  };

  // Memory is made before all runs and freed after them: both may wait for a device of another
  // rank, which may wait for this one.
  void expect_exact(Engine& engine, const std::vector<std::shared_ptr<DeviceRanks>>& ranks) const {
    std::vector<Held> held(ranks.size());
    const auto on_all =
        [&](const std::function<void(const std::shared_ptr<DeviceRanks>& own, Held& mine)>& body) {
          const auto texts = run_ranks(ranks, [&](const std::shared_ptr<DeviceRanks>& own) {
            check_cuda_call(cudaSetDevice(own->device().ordinal), "making a device current");
            body(own, held[static_cast<std::size_t>(own->rank())]);
          });
          for (const std::string& failure : texts) EXPECT_EQ(failure, "") << text();
          return !testing::Test::HasFailure();
        };
    (void)(on_all([&](const auto& own, Held& mine) { prepare(engine, own, mine); }) &&
           on_all([&](const auto&, Held& mine) {
             for (const auto& out : mine.out)
               mine.route->run((options.in_place ? out : mine.in)->data(), out->data());
           }) &&
           on_all([&](const auto& own, Held& mine) {
             for (const auto& out : mine.out)
               EXPECT_TRUE(out->content() == mine.wanted)
                   << "rank " << own->rank() << ": " << text();
           }));
  }

  void prepare(Engine& engine, const std::shared_ptr<DeviceRanks>& own, Held& mine) const {
    const int rank = own->rank();
    Draw draw(seed * 100 + static_cast<std::uint64_t>(rank));
    const Placement own_from = draw.own(from, rank);
    const Placement own_to = options.in_place ? own_from : draw.own(to, rank);
    RouteOptions own_options = options;
    own_options.devices = own;
    const std::vector<std::byte> given = Scattered(from).array(own_from, rank, false);
    mine.in = std::make_unique<DeviceBytes>(given);
    mine.wanted = Scattered(to).array(own_to, rank, options.transpose);
    const std::vector<std::byte> wrong(mine.wanted.size(), std::byte{0xa5});
    for (auto& out : mine.out)
      out = std::make_unique<DeviceBytes>(options.in_place ? given : wrong);
    mine.route = std::make_unique<Route>(engine.route(own_from, own_to, own_options));
  }

  std::string text() const {
    return "seed " + std::to_string(seed) + ", " + std::to_string(from.rows.extent) + "x" +
           std::to_string(from.cols.extent) + " elements of " + std::to_string(from.element_bytes) +
           " bytes, " + (options.transpose ? "transposed" : "as it is") +
           (options.in_place ? " in place" : "");
  }

  std::uint64_t seed = 1;
  Placement from, to;
  RouteOptions options;
};

inline void expect_exact_routes(Engine& engine,
                                const std::vector<std::shared_ptr<DeviceRanks>>& ranks) {
  const char* const text = std::getenv("XPOSE_LAYOUTS");
  const std::uint64_t count = text == nullptr ? 40 : std::strtoull(text, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    DeviceCase(seed, static_cast<int>(ranks.size())).expect_exact(engine, ranks);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

inline void expect_exact_square_in_place(Engine& engine,
                                         const std::vector<std::shared_ptr<DeviceRanks>>& ranks) {
  for (const std::uint32_t bytes : {4, 12}) {
    DeviceCase square;
    square.options.transpose = square.options.in_place = true;
    square.options.memory = std::uint64_t{8} << 20;
    square.from = square.to = row_slabs(4099, 4099, bytes, 2);
    square.expect_exact(engine, ranks);
    square.from = square.to =
        block_cyclic({.m = 4099, .n = 4099, .mb = 64, .nb = 96, .nprow = 2, .npcol = 1}, bytes);
    square.expect_exact(engine, ranks);
  }
}

}  // namespace xpose
