// staged_bench [GiB [pinned [PLUGINS]]]: the strategy `staged` against a copy of as many pinned
// bytes in both directions at once, from pinned memory alone or, as the host's own strategies, from
// pageable memory too. Prints medians of five and the elements that are wrong; no test.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
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

// Huge pages, written before they are pinned. They stay until the end.
void* memory(std::int64_t bytes, bool pinned) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const all = std::aligned_alloc(2 << 20, size);
  if (all == nullptr) {
    std::fprintf(stderr, "no memory for %lld bytes\n", static_cast<long long>(bytes));
    std::exit(EXIT_FAILURE);
  }
  madvise(all, size, MADV_HUGEPAGE);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([=] {
      auto* const words = static_cast<std::uint64_t*>(all);
      const auto count = static_cast<std::uint64_t>(bytes) / sizeof *words;
      for (std::uint64_t i = count / kThreads * t; i < count / kThreads * (t + 1); ++i)
        words[i] = i * 0x9e3779b97f4a7c15;
    });
  for (std::thread& thread : threads) thread.join();
  if (pinned) check(cudaHostRegister(all, size, 0), "cudaHostRegister");
  return all;
}

// Of so many elements drawn at random.
int wrong(const Problem& problem, const void* in, const void* out) {
  constexpr int kDrawn = 300'000;
  std::mt19937_64 random(22);
  int count = 0;
  for (int i = 0; i < kDrawn; ++i) {
    const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(problem.rows));
    const auto col = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(problem.cols));
    const auto at = [&](const void* begin, std::int64_t element) {
      return static_cast<const char*>(begin) + element * problem.element_bytes;
    };
    count += std::memcmp(at(in, row * problem.cols + col), at(out, col * problem.rows + row),
                         problem.element_bytes) != 0;
  }
  return count;
}

void run(std::int64_t bytes, bool pinned_alone, const std::string& plugins) {
  void* const pinned_in = memory(bytes, true);
  void* const pinned_out = memory(bytes, true);
  void* const in = pinned_alone ? nullptr : memory(bytes, false);
  void* const out = pinned_alone ? nullptr : memory(bytes, false);
  Engine engine(
      {.plugin_folders = {plugins}, .threads = kThreads, .in_process = true, .remember = false});
  for (const std::uint32_t element : {4U, 8U, 2U, 1U}) {
    const double best = roof(pinned_in, pinned_out, bytes);
    const auto line = [&](const std::string& name, double time) {
      std::printf("%-58s %7.3f s %7.1f GB/s each way %6.1f %% of the duplex copy\n", name.c_str(),
                  time, static_cast<double>(bytes) / time / 1e9, 100 * best / time);
      std::fflush(stdout);
    };
    line("pinned copies, both ways at once", best);
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes / element)));
    for (const std::int64_t gap : {0, 1}) {  // and sides that are odd
      const Problem problem = matrix(side - gap, side - 3 * gap, element);
      const std::string of = std::to_string(problem.rows) + "x" + std::to_string(problem.cols) +
                             ", " + std::to_string(element) + " bytes: ";
      const auto measure = [&](const Variant& variant, const char* kind, void* from, void* to) {
        try {
          const Plan plan = plan_of(engine, problem, {variant});
          const double time = seconds([&] { plan.execute(from, to); });
          line(of + to_string(plan.variant()) + kind, time);
          if (const int count = wrong(problem, from, to); count != 0)
            std::printf("%d elements are WRONG\n", count);
        } catch (const Error& error) {
          std::printf("%s%s: %s\n", of.c_str(), to_string(variant).c_str(), error.what());
        }
      };
      for (const int slot : {1792, 896, 16}) {
        const Variant staged{"staged", {{"slot", slot}}};
        measure(staged, " pinned", pinned_in, pinned_out);
        if (!pinned_alone) measure(staged, " pageable", in, out);
      }
      if (pinned_alone) continue;
      measure({"host_simd", {}}, "", in, out);
      measure({"host_blocked_pad", {}}, "", in, out);
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
             count > 2 && std::strcmp(words[2], "pinned") == 0,
             count > 3 ? words[3] : XPOSE_PLUGINS);
}
