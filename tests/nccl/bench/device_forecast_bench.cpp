// device_forecast_bench ROUNDS MIB...: the seconds of routes between two GPUs as forecast()
// predicts them by curves of the same machine, and as they are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "both_ranks.hpp"
#include "contestant.hpp"
#include "xpose/forecast.hpp"

namespace xpose::bench {
namespace {

constexpr std::uint32_t kBytes = 4;
constexpr std::uint64_t kAllMessages = std::uint64_t{1} << 50;  // these devices cut none

struct Pair {
  std::string name;
  Placement from, to;
};

std::vector<Pair> pairs(std::int64_t extent) {
  const Placement slabs = row_slabs(extent, extent, kBytes, kRanks);
  const auto blocks = [&](std::int64_t block, int rows, int cols) {
    return block_cyclic(
        {.m = extent, .n = extent, .mb = block, .nb = block, .nprow = rows, .npcol = cols}, kBytes);
  };
  return {{"row slabs", slabs, slabs},
          {"blocks of 1024", blocks(1024, 1, 2), blocks(1024, 1, 2)},
          {"blocks of 64 to slabs", blocks(64, 2, 1), slabs}};
}

class Bench {
 public:
  explicit Bench(std::size_t rounds)
      : rounds_(rounds), peers_(peer_ranks({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}})) {
    EngineOptions options;
    options.plugin_folders = {XPOSE_PLUGINS};
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.remember = false;
    engine_ = Engine(options);
    on_both([&](int rank) {
      const RouteCurves curves = measure_curves(engine_, {.devices = peers_[index(rank)],
                                                          .ranks_per_host = kRanks,
                                                          .element_bytes = kBytes,
                                                          .memory = std::uint64_t{4} << 30});
      if (rank == 0) curves_ = curves;
    });
  }

  void run_size(std::int64_t mib) {
    const auto extent =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>(mib) * (1 << 20) / kBytes)) / 2048 *
        2048;
    for (const Pair& pair : pairs(extent)) {
      const double predicted =
          forecast(pair.from, pair.to,
                   {.memory = kAllMessages, .ranks_per_host = kRanks, .curves = curves_})
              .seconds;
      const double measured = seconds_of(pair);
      std::printf("%6lld MiB, %-22s predicted %8.3f ms, measured %8.3f ms, %+5.1f %%\n",
                  static_cast<long long>(mib), pair.name.c_str(), predicted * 1e3, measured * 1e3,
                  (predicted / measured - 1) * 100);
      std::fflush(stdout);
    }
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  // The median of runs after the first, of the rank that takes longer.
  double seconds_of(const Pair& pair) {
    std::array<std::vector<double>, kRanks> seconds;
    on_both([&](int rank) {
      const auto bytes = [&](const Placement& placement) {
        return static_cast<std::size_t>(local_array(placement, rank).elements) * kBytes;
      };
      void *in = nullptr, *out = nullptr;
      check(cudaMalloc(&in, bytes(pair.from)), "allocating an input");
      check(cudaMalloc(&out, bytes(pair.to)), "allocating an output");
      check(cudaMemset(in, rank + 1, bytes(pair.from)), "filling an input");
      check(cudaDeviceSynchronize(), "filling an input");
      RouteOptions options;
      options.devices = peers_[index(rank)];
      Route route = engine_.route(pair.from, pair.to, options);
      route.run(in, out);
      for (std::size_t round = 0; round < rounds_; ++round)
        seconds[index(rank)].push_back(route.run(in, out).seconds);
      check(cudaFree(in), "freeing an input");
      check(cudaFree(out), "freeing an output");
    });
    std::vector<double> longer;
    for (std::size_t round = 0; round < rounds_; ++round)
      longer.push_back(std::max(seconds[0][round], seconds[1][round]));
    std::ranges::sort(longer);
    return longer[longer.size() / 2];
  }

  std::size_t rounds_;
  std::vector<std::shared_ptr<DeviceRanks>> peers_;
  Engine engine_;
  RouteCurves curves_;
};

}  // namespace
}  // namespace xpose::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "device_forecast_bench ROUNDS MIB...\n";
    return 2;
  }
  xpose::bench::Bench bench(std::stoull(argv[1]));
  for (int i = 2; i < argc; ++i) bench.run_size(std::stoll(argv[i]));
}
