// staged_bench [GiB [PLUGINS]]: the strategy `staged` against a copy of as many pinned bytes in
// both directions at once, and against the host's own strategies. Prints medians of five; no test.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>
#include <xpose/xpose.hpp>

namespace xpose {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr unsigned kThreads = 16;
constexpr int kSamples = 5;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

double seconds(const std::function<void()>& body) {
  std::vector<double> samples;
  for (int i = 0; i <= kSamples; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (i > 0) samples.push_back(passed.count());  // the first one warms up
  }
  std::ranges::nth_element(samples, samples.begin() + kSamples / 2);
  return samples[kSamples / 2];
}

// Both directions at once, in pieces, each piece to and from its own place on the device.
double roof(void* in, void* out, std::int64_t bytes) {
  constexpr std::int64_t kPiece = 64 << 20;
  void* device = nullptr;
  cudaStream_t to = nullptr, from = nullptr;
  check(cudaMalloc(&device, 2 * kPiece), "cudaMalloc");
  check(cudaStreamCreate(&to), "cudaStreamCreate");
  check(cudaStreamCreate(&from), "cudaStreamCreate");
  const double time = seconds([&] {
    for (std::int64_t at = 0; at < bytes; at += kPiece) {
      const auto piece = static_cast<std::size_t>(std::min(kPiece, bytes - at));
      check(cudaMemcpyAsync(device, static_cast<char*>(in) + at, piece, cudaMemcpyHostToDevice, to),
            "to the device");
      check(cudaMemcpyAsync(static_cast<char*>(out) + at, static_cast<char*>(device) + kPiece,
                            piece, cudaMemcpyDeviceToHost, from),
            "from the device");
    }
    check(cudaDeviceSynchronize(), "a copy");
  });
  cudaStreamDestroy(to);
  cudaStreamDestroy(from);
  cudaFree(device);
  return time;
}

Plan plan_of(Engine& engine, const Problem& problem, const std::vector<Variant>& variants) {
  PlanOptions options;
  options.policy = Policy::estimate;
  options.tune.variants = variants;
  return engine.plan(problem, options);
}

void fill(void* memory, std::int64_t bytes) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([=] {
      std::memset(static_cast<char*>(memory) + bytes / kThreads * t, static_cast<int>(t) + 1,
                  static_cast<std::size_t>(bytes / kThreads));
    });
  for (std::thread& thread : threads) thread.join();
}

void run(std::int64_t bytes, const std::string& plugins) {
  void *pinned_in = nullptr, *pinned_out = nullptr;
  check(cudaMallocHost(&pinned_in, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  check(cudaMallocHost(&pinned_out, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  void* const in = std::aligned_alloc(2 << 20, static_cast<std::size_t>(bytes));
  void* const out = std::aligned_alloc(2 << 20, static_cast<std::size_t>(bytes));
  for (void* memory : {pinned_in, pinned_out, in, out}) fill(memory, bytes);
  const double best = roof(pinned_in, pinned_out, bytes);
  const auto line = [&](const std::string& name, double time) {
    std::printf("%-58s %7.3f s %7.1f GB/s each way %6.1f %% of the duplex copy\n", name.c_str(),
                time, static_cast<double>(bytes) / time / 1e9, 100 * best / time);
    std::fflush(stdout);
  };
  line("pinned copies, both ways at once", best);
  Engine engine(
      {.plugin_folders = {plugins}, .threads = kThreads, .in_process = true, .remember = false});
  for (const std::uint32_t element : {4U, 1U}) {
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes / element)));
    for (const std::int64_t gap : {0, 1}) {  // and sides that are odd
      const Problem problem = matrix(side - gap, side - 3 * gap, element);
      const std::string of = std::to_string(problem.rows) + "x" + std::to_string(problem.cols) +
                             ", " + std::to_string(element) + " bytes: ";
      for (const int slot : {256, 16}) {
        const Plan staged = plan_of(engine, problem, {{"staged", {{"slot", slot}}}});
        const std::string name = of + "staged{slot=" + std::to_string(slot) + "} ";
        line(name + "pinned", seconds([&] { staged.execute(pinned_in, pinned_out); }));
        if (gap == 0) line(name + "pageable", seconds([&] { staged.execute(in, out); }));
      }
      for (const char* host : {"host_simd", "host_blocked_pad"}) try {
          const Plan plan = plan_of(engine, problem, {{host, {}}});
          line(of + to_string(plan.variant()), seconds([&] { plan.execute(in, out); }));
        } catch (const Error& error) {
          std::printf("%s%s: %s\n", of.c_str(), host, error.what());
        }
    }
  }
}

}  // namespace
}  // namespace xpose

int main(int count, char** words) {
  if (const std::string reason = xpose::cuda_unavailable_reason(); !reason.empty()) {
    std::printf("SKIPPED: %s\n", reason.c_str());
    return 77;
  }
  xpose::run((count > 1 ? std::atoll(words[1]) : 4) * xpose::kGiB,
             count > 2 ? words[2] : XPOSE_PLUGINS);
}
