// process_route_bench ROUNDS MIB...: routes of a transpose between two GPUs, each in a process of
// its own, by arrays that NCCL's ranks map and by its messages, out of place and in place.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "contestant.hpp"
#include "xpose/nccl.hpp"

namespace xpose::bench {

Placement slabs_of_rows(std::int64_t extent) { return row_slabs(extent, extent, 4, kRanks); }

namespace {

using Clock = std::chrono::steady_clock;  // one for both processes

// Of both processes, from before fork() on.
struct Shared {
  ncclUniqueId id;
  std::atomic<int> arrived{0};
  std::atomic<bool> has_failed{false};
  std::array<Clock::time_point, kRanks> begin, end;
};

class Process {
 public:
  Process(Shared& shared, int rank) : shared_(shared), rank_(rank) {
    setenv("NCCL_NVLS_ENABLE", "0", 1);  // its memory is not everybody's to have
    check(cudaSetDevice(rank), "making a device current");
    if (rank == 0 && ncclGetUniqueId(&shared.id) != ncclSuccess)
      throw Error(ErrorKind::failed, "NCCL gives no id");
    meet();
    if (ncclCommInitRank(&comm_, kRanks, shared.id, rank) != ncclSuccess)
      throw Error(ErrorKind::failed, std::string("NCCL: ") + ncclGetLastError(nullptr));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    EngineOptions options;
    options.plugin_folders = {XPOSE_PLUGINS};
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.remember = false;
    engine_ = Engine(options);
  }
  ~Process() {
    if (comm_ != nullptr) (void)ncclCommDestroy(comm_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void run_size(std::size_t rounds, std::int64_t mib) {
    const auto extent =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>(mib) * (1 << 20) / 4)) / 256 * 256;
    const std::size_t bytes =
        static_cast<std::size_t>(extent) * static_cast<std::size_t>(extent) * 2;
    RankArrays arrays(1);
    check(cudaMalloc(&arrays[0].in, bytes), "allocating an input");
    check(cudaMalloc(&arrays[0].out, bytes), "allocating an output");
    for (const bool in_place : {false, true})
      for (const bool maps : {true, false}) measure(arrays, rounds, extent, in_place, maps);
    meet();  // others may have mapped the arrays
    check(cudaFree(arrays[0].in), "freeing an input");
    check(cudaFree(arrays[0].out), "freeing an output");
  }

 private:
  // Until both have come as often.
  void meet() {
    const int wanted = ++meetings_ * kRanks;
    ++shared_.arrived;
    while (shared_.arrived < wanted) {
      if (shared_.has_failed) throw Error(ErrorKind::failed, "the other rank has failed");
      std::this_thread::yield();
    }
  }

  void measure(RankArrays& arrays, std::size_t rounds, std::int64_t extent, bool in_place,
               bool maps) {
    const std::size_t bytes =
        static_cast<std::size_t>(extent) * static_cast<std::size_t>(extent) * 2;
    fill(arrays, extent, rank_);
    if (in_place)
      check(cudaMemcpy(arrays[0].out, arrays[0].in, bytes, cudaMemcpyDefault), "copying");
    else
      check(cudaMemset(arrays[0].out, 0xa5, bytes), "clearing");
    check(cudaDeviceSynchronize(), "clearing");
    RouteOptions options;
    options.devices = nccl_ranks(comm_, stream_, maps);
    options.in_place = in_place;
    Route route = engine_.route(slabs_of_rows(extent), slabs_of_rows(extent), options);
    const void* const in = in_place ? arrays[0].out : arrays[0].in;
    const double first = seconds_of(route, in, arrays[0].out);
    std::vector<double> seconds;
    for (std::size_t round = 0; round < rounds + rounds % 2;
         ++round)  // in place an odd number in all
      seconds.push_back(seconds_of(route, in, arrays[0].out));
    const std::uint64_t wrong = count_wrong(arrays[0], extent, rank_);
    if (wrong != 0) throw Error(ErrorKind::wrong, std::to_string(wrong) + " elements are wrong");
    if (rank_ == 0) print(extent, in_place, maps, first, seconds);
  }

  double seconds_of(Route& route, const void* in, void* out) {
    const auto own = static_cast<std::size_t>(rank_);
    meet();
    shared_.begin[own] = Clock::now();
    route.run(in, out);
    shared_.end[own] = Clock::now();
    meet();
    return std::chrono::duration<double>(*std::ranges::max_element(shared_.end) -
                                         *std::ranges::min_element(shared_.begin))
        .count();
  }

  static void print(std::int64_t extent, bool in_place, bool maps, double first,
                    std::vector<double>& seconds) {
    std::ranges::sort(seconds);
    const double middle = seconds[seconds.size() / 2];
    const double bytes = static_cast<double>(extent) * static_cast<double>(extent);
    std::printf(
        "%6.0f MiB %-12s %-13s first %8.3f ms, median %8.3f ms (%.3f to %.3f) %6.1f GB/s each "
        "way\n",
        bytes * 4 / (1 << 20), in_place ? "in place" : "out of place",
        maps ? "mapped arrays" : "messages", first * 1e3, middle * 1e3, seconds.front() * 1e3,
        seconds.back() * 1e3, bytes / middle * 1e-9);
    std::fflush(stdout);
  }

  Shared& shared_;
  int rank_, meetings_ = 0;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  Engine engine_;
};

int run_rank(Shared& shared, int rank, const std::vector<std::string>& arguments) try {
  Process process(shared, rank);
  for (std::size_t i = 1; i < arguments.size(); ++i)
    process.run_size(std::stoull(arguments[0]), std::stoll(arguments[i]));
  return 0;
} catch (const std::exception& error) {
  shared.has_failed = true;
  std::cerr << "process_route_bench: rank " << rank << ": " << error.what() << std::endl;
  std::_Exit(1);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    std::cerr << "process_route_bench ROUNDS MIB...\n";
    return 2;
  }
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto& shared = *new (memory) Shared;
  const pid_t child = ::fork();  // before either uses CUDA
  const int status = run_rank(shared, child == 0 ? 1 : 0, arguments);
  if (child != 0) ::waitpid(child, nullptr, 0);
  return status;
}

}  // namespace
}  // namespace xpose::bench

int main(int argc, char** argv) { return xpose::bench::run({argv + 1, argv + argc}); }
