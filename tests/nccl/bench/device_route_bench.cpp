// device_route_bench peer|nccl ROUNDS MIB...: routes of a transpose between two GPUs, beside copies
// of the bytes that each sends to the other, both ways at once.
#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "both_ranks.hpp"
#include "contestant.hpp"

namespace xpose::bench {

Placement slabs_of_rows(std::int64_t extent) { return row_slabs(extent, extent, 4, kRanks); }

namespace {

using Seconds = std::vector<double>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(Seconds seconds) {
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

class Bench {
 public:
  Bench(Engine& engine, std::int64_t extent, std::size_t rounds)
      : engine_(engine), extent_(extent), rounds_(rounds) {
    on_both([&](int rank) {
      if (rank == 0) pairs_ = pairs_that_fit();
    });
    on_both([&](int rank) { make_rank(rank); });
  }
  ~Bench() {
    on_both([&](int rank) {
      for (const Arrays& pair : arrays_[index(rank)])
        for (std::uint32_t* array : {pair.in, pair.out}) (void)cudaFree(array);
      for (cudaStream_t stream : streams_[index(rank)]) (void)cudaStreamDestroy(stream);
    });
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void add_copy(std::size_t pieces) {
    add({"peer copy in " + std::to_string(pieces) + (pieces == 1 ? " piece" : " pieces"),
         [this, pieces](int rank, std::size_t pair) { copy(rank, pair, pieces); }, false});
  }
  void add_route(const std::string& name,
                 const std::function<std::shared_ptr<DeviceRanks>(const Rank&)>& ranks) {
    auto routes = std::make_shared<std::vector<std::unique_ptr<Route>>>(kRanks);
    on_both([&](int rank) {
      RouteOptions options;
      options.devices = ranks(ranks_[index(rank)]);
      (*routes)[index(rank)] = std::make_unique<Route>(
          engine_.route(slabs_of_rows(extent_), slabs_of_rows(extent_), options));
    });
    routes_.push_back(routes);
    add({name, [this, routes](int rank, std::size_t pair) {
           const Arrays& arrays = arrays_[index(rank)][pair];
           (*routes)[index(rank)]->run(arrays.in, arrays.out);
         }});
  }
  void add(Contestant contestant) { contestants_.push_back(std::move(contestant)); }
  const Rank& rank(int number) const { return ranks_[index(number)]; }

  void run() {
    check_all();
    std::vector<Seconds> seconds(contestants_.size());
    for (std::size_t round = 0; round < rounds_; ++round)
      for (std::size_t i = 0; i < contestants_.size(); ++i) {
        const std::size_t turn = (i + round) % contestants_.size();
        seconds[turn].push_back(sample(contestants_[turn], (round + i) % pairs_));
      }
    check_all();
    print(seconds);
    on_both([&](int rank) {  // close their ranks at the same time
      for (const auto& routes : routes_) (*routes)[index(rank)] = nullptr;
    });
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  std::size_t array_bytes() const {
    return static_cast<std::size_t>(extent_) * static_cast<std::size_t>(extent_) * 4 / kRanks;
  }

  // Of three, so that memory is left for a route.
  std::size_t pairs_that_fit() const {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return std::clamp<std::size_t>(free / 10 * 9 / (2 * array_bytes()), 1, 3);
  }
  void make_rank(int rank) {
    arrays_[index(rank)].resize(pairs_);
    for (Arrays& pair : arrays_[index(rank)]) {
      check(cudaMalloc(&pair.in, array_bytes()), "allocating an input");
      check(cudaMalloc(&pair.out, array_bytes()), "allocating an output");
    }
    for (cudaStream_t& stream : streams_[index(rank)])
      check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                         getenv("XP_NCCLPRIO") ? -5 : 0),
            "creating a stream");
    fill(arrays_[index(rank)], extent_, rank);
    ranks_[index(rank)] = {rank, extent_, &arrays_[index(rank)], &arrays_[index(1 - rank)],
                           streams_[index(rank)][0]};
  }

  void copy(int rank, std::size_t pair, std::size_t pieces) {
    const Rank& own = ranks_[index(rank)];
    const std::size_t bytes = own.sent_bytes() / pieces;
    const auto* from = reinterpret_cast<const char*>((*own.own)[pair].in);
    auto* to = reinterpret_cast<char*>((*own.other)[pair].out);
    for (std::size_t i = 0; i < pieces; ++i)
      check(cudaMemcpyPeerAsync(to + i * bytes, 1 - rank, from + i * bytes, rank, bytes,
                                streams_[index(rank)][i]),
            "copying to the peer");
    for (std::size_t i = 0; i < pieces; ++i)
      check(cudaStreamSynchronize(streams_[index(rank)][i]), "waiting for a copy");
  }

  // Every contestant that transposes writes over wrong elements, in every pair of arrays.
  void check_all() {
    for (const Contestant& contestant : contestants_)
      for (std::size_t pair = 0; pair < pairs_; ++pair) {
        if (!contestant.transposes) continue;
        on_both([&](int rank) {
          check(cudaMemset(arrays_[index(rank)][pair].out, 0xa5, array_bytes()), "clearing");
          check(cudaDeviceSynchronize(), "clearing");
        });
        on_both([&](int rank) { contestant.run(rank, pair); });
        on_both([&](int rank) {
          const std::uint64_t wrong = count_wrong(arrays_[index(rank)][pair], extent_, rank);
          if (wrong != 0)
            throw Error(ErrorKind::wrong, contestant.name + " leaves " + std::to_string(wrong) +
                                              " wrong elements in pair " + std::to_string(pair));
        });
      }
  }

  // Until the last rank is ready.
  double sample(const Contestant& contestant, std::size_t pair) {
    std::array<double, kRanks> begin{}, end{};
    std::barrier together(kRanks);
    on_both([&](int rank) {
      // Untimed in this thread, as callers run more than once, and with another pair.
      contestant.run(rank, (pair + 1) % pairs_);
      together.arrive_and_wait();
      begin[index(rank)] = now();
      contestant.run(rank, pair);
      end[index(rank)] = now();
    });
    return *std::ranges::max_element(end) - *std::ranges::min_element(begin);
  }

  void print(const std::vector<Seconds>& seconds) const {
    double roof = 0;
    for (std::size_t i = 0; i < contestants_.size(); ++i)
      if (contestants_[i].name.starts_with("peer copy"))
        roof = roof == 0 ? median(seconds[i]) : std::min(roof, median(seconds[i]));
    const auto bytes = static_cast<double>(ranks_[0].sent_bytes());
    std::printf("%lldx%lld elements of 4 bytes, %.0f MiB; each sends %.0f MiB; median of %zu\n",
                static_cast<long long>(extent_), static_cast<long long>(extent_),
                static_cast<double>(array_bytes()) * kRanks / (1 << 20), bytes / (1 << 20),
                rounds_);
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      const double middle = median(seconds[i]);
      std::printf(
          "  %-24s %9.3f ms (%.3f to %.3f) %7.1f GB/s each way %6.1f %%\n",
          contestants_[i].name.c_str(), middle * 1e3, *std::ranges::min_element(seconds[i]) * 1e3,
          *std::ranges::max_element(seconds[i]) * 1e3, bytes / middle * 1e-9, roof / middle * 100);
    }
    std::fflush(stdout);
  }

  Engine& engine_;
  std::int64_t extent_;
  std::size_t rounds_;
  std::size_t pairs_ = 1;
  std::array<RankArrays, kRanks> arrays_{};
  std::array<std::array<cudaStream_t, 4>, kRanks> streams_{};
  std::array<Rank, kRanks> ranks_{};
  std::vector<Contestant> contestants_;
  std::vector<std::shared_ptr<std::vector<std::unique_ptr<Route>>>> routes_;
};

// Of lines that pass at once, without a trial, as routes choose.
void print_choice(Engine& engine, std::int64_t extent) {
  Problem part = matrix(extent / kRanks, std::min<std::int64_t>(512, extent / kRanks), 4);
  part.in_ld = part.out_ld = extent;
  part.in_alignment = part.out_alignment = 256;
  part.device = {DeviceKind::cuda, 0};
  const Plan plan = engine.plan(part, {.policy = Policy::estimate, .tune = {}});
  std::printf("%s by %s (%s)\n", to_string(part).c_str(), to_string(plan.variant()).c_str(),
              plan.launch().c_str());
}

void run_size(Engine& engine, bool is_nccl, std::size_t rounds, std::int64_t mib) {
  // Slabs of whole tiles.
  const auto extent =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(mib) * (1 << 20) / 4)) / 256 * 256;
  const auto peers = peer_ranks({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}});
  std::unique_ptr<Nccl> nccl = is_nccl ? make_nccl() : nullptr;
  print_choice(engine, extent);
  Bench bench(engine, extent, rounds);
  for (const std::size_t pieces : {1, 2, 4}) bench.add_copy(pieces);
  if (nccl == nullptr) {
    bench.add_route("route (peer)",
                    [&](const Rank& rank) { return peers[static_cast<std::size_t>(rank.number)]; });
  } else {
    bench.add({"NCCL, messages alone",
               [&](int rank, std::size_t pair) { nccl->exchange(bench.rank(rank), pair); }, false});
    bench.add_route("route (NCCL)", [&](const Rank& rank) { return nccl->make_ranks(rank); });
  }
  bench.run();
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3 || (arguments[0] != "peer" && arguments[0] != "nccl")) {
    std::cerr << "device_route_bench peer|nccl ROUNDS MIB...\n";
    return 2;
  }
  setenv("NCCL_NVLS_ENABLE", "0", 1);  // its memory is not everybody's to have
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  Engine engine(options);
  for (std::size_t i = 2; i < arguments.size(); ++i)
    run_size(engine, arguments[0] == "nccl", std::stoull(arguments[1]), std::stoll(arguments[i]));
  return 0;
}

}  // namespace
}  // namespace xpose::bench

int main(int argc, char** argv) {
  try {
    return xpose::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "device_route_bench: " << error.what() << '\n';
    return 1;
  }
}
