// The whole way on a device, with kernels whose counts are known. Prints every step and figure, so
// that a run that fails tells where.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "counters/counters.hpp"
#include "device/device.hpp"

namespace xpose {
namespace {

constexpr int kSize = 4096;
constexpr std::uint64_t kIdealSectors = std::uint64_t{kSize} * kSize * 4 / 32;
constexpr std::uint64_t kWarps = std::uint64_t{kSize} * kSize / 32;

__global__ void copy_row(const float* in, float* out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * kSize + col] = in[row * kSize + col];
}

__global__ void naive_row(const float* in, float* out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  out[col * kSize + row] = in[row * kSize + col];
}

// A tile of 16 rows of 32, read back by columns: 16 lanes at once want one bank, or, with two
// columns of padding, none the same.
template <int padding>
__global__ void smem(const float* in, float* out) {
  __shared__ float tile[16][32 + padding];
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[row * kSize + col];
  __syncthreads();
  const int index = threadIdx.y * 32 + threadIdx.x;
  const int out_col = blockIdx.y * 16 + index % 16;
  const int out_row = blockIdx.x * 32 + index / 16;
  out[out_row * kSize + out_col] = tile[index % 16][index / 16];
}

class CountersGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
    cuda = &backend(device);
    cuda->make_current();
    in = DeviceBuffer(*cuda, std::uint64_t{kSize} * kSize * 4);
    out = DeviceBuffer(*cuda, std::uint64_t{kSize} * kSize * 4);
  }

  template <class Kernel>
  Launch launch_of(Kernel kernel) {
    return [this, kernel] {
      kernel<<<dim3(kSize / 32, kSize / 16), dim3(32, 16)>>>(
          reinterpret_cast<const float*>(in.data()), reinterpret_cast<float*>(out.data()));
    };
  }

  static void say_step(const std::string& step) {
    std::printf("  step: %s\n", step.c_str());
    std::fflush(stdout);
  }
  static void print(const LaunchedKernel& kernel) {
    std::printf(
        "  kernel %s grid %ux%ux%u block %ux%ux%u registers %u shared %llu+%llu, %u blocks "
        "a multiprocessor, occupancy %.3f\n",
        kernel.name.c_str(), kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
        kernel.block[1], kernel.block[2], kernel.registers,
        static_cast<unsigned long long>(kernel.static_shared_bytes),
        static_cast<unsigned long long>(kernel.dynamic_shared_bytes),
        kernel.blocks_per_multiprocessor, kernel.occupancy);
  }

  // Fails the test, with the profiler's words, where counting does not work.
  Counted counted(const char* name, const Launch& launch) {
    std::printf("count %s\n", name);
    const auto begin = std::chrono::steady_clock::now();
    auto answer = count(device, launch, say_step);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (const auto* text = std::get_if<std::string>(&answer)) {
      ADD_FAILURE() << name << ": " << *text;
      return {};
    }
    auto& result = std::get<Counted>(answer);
    std::printf("  chip %s, %zu passes, %.3f s\n", result.chip.c_str(), result.passes,
                took.count());
    for (const LaunchedKernel& kernel : result.kernels) print(kernel);
    for (const auto& [metric, value] : result.values)
      std::printf("  %-58s %.1f\n", metric.c_str(), value);
    for (const std::string& note : result.notes) std::printf("  note: %s\n", note.c_str());
    std::fflush(stdout);
    return result;
  }

  Device device = {DeviceKind::cuda, 0};
  Backend* cuda = nullptr;
  DeviceBuffer in;
  DeviceBuffer out;
};

void expect_within(std::uint64_t value, std::uint64_t expected, double share) {
  EXPECT_GE(static_cast<double>(value), static_cast<double>(expected) * (1 - share));
  EXPECT_LE(static_cast<double>(value), static_cast<double>(expected) * (1 + share));
}

TEST_F(CountersGpuTest, SeesTheKernelsThatALaunchStarts) {
  auto answer = launched_kernels(
      device,
      [&] {
        launch_of(naive_row)();
        launch_of(smem<2>)();
      },
      say_step);
  if (const auto* text = std::get_if<std::string>(&answer)) FAIL() << *text;
  const auto& kernels = std::get<std::vector<LaunchedKernel>>(answer);
  for (const LaunchedKernel& kernel : kernels) print(kernel);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_NE(kernels[0].name.find("naive_row"), std::string::npos);
  EXPECT_NE(kernels[1].name.find("smem"), std::string::npos);
  EXPECT_EQ(kernels[1].grid, (std::array<std::uint32_t, 3>{kSize / 32, kSize / 16, 1}));
  EXPECT_EQ(kernels[1].block, (std::array<std::uint32_t, 3>{32, 16, 1}));
  EXPECT_EQ(kernels[1].static_shared_bytes, 16U * 34 * 4);
  EXPECT_GE(kernels[1].registers, 4U);
  EXPECT_GE(kernels[1].blocks_per_multiprocessor, 1U);
  EXPECT_GT(kernels[1].occupancy, 0.2);
  EXPECT_LE(kernels[1].occupancy, 1.0);
}

TEST_F(CountersGpuTest, CountsSectorsAndRequestsExactly) {
  const Counted copy = counted("copy_row", launch_of(copy_row));
  EXPECT_EQ(copy.account.totals.load_sectors, kIdealSectors);
  EXPECT_EQ(copy.account.totals.store_sectors, kIdealSectors);
  EXPECT_EQ(copy.account.totals.load_requests, kWarps);
  EXPECT_EQ(copy.account.totals.store_requests, kWarps);
  EXPECT_EQ(copy.account.totals.load_wavefronts, 0U);
  EXPECT_GE(copy.account.instructions, 4 * kWarps);
  EXPECT_GT(copy.account.dram_read_bytes, 0U);

  const Counted naive = counted("naive_row", launch_of(naive_row));
  EXPECT_EQ(naive.account.totals.load_sectors, kIdealSectors);
  EXPECT_EQ(naive.account.totals.store_sectors, 8 * kIdealSectors);
  EXPECT_TRUE(naive.notes.empty());
}

TEST_F(CountersGpuTest, CountsWavefronts) {
  const Counted conflicts = counted("smem", launch_of(smem<0>));
  expect_within(conflicts.account.totals.load_wavefronts, 16 * kWarps, 0.001);
  expect_within(conflicts.account.totals.store_wavefronts, kWarps, 0.001);
  const Counted none = counted("smem, padded by 2", launch_of(smem<2>));
  expect_within(none.account.totals.load_wavefronts, kWarps, 0.001);
  EXPECT_EQ(none.account.shared_bytes, 16U * 34 * 4);
}

TEST_F(CountersGpuTest, ALaunchOfSeveralKernelsIsTheirSum) {
  const Counted both = counted("copy_row and naive_row", [&] {
    launch_of(copy_row)();
    launch_of(naive_row)();
  });
  EXPECT_EQ(both.kernels.size(), 2U);
  EXPECT_EQ(both.account.totals.load_sectors, 2 * kIdealSectors);
  EXPECT_EQ(both.account.totals.store_sectors, 9 * kIdealSectors);
  EXPECT_EQ(both.notes.size(), 1U);
}

// What a launch throws passes through, and leaves the profiler free and the device usable.
TEST_F(CountersGpuTest, ALaunchThatThrowsEndsTheCount) {
  int calls = 0;
  EXPECT_THROW((void)count(device,
                           [&] {
                             if (++calls == 2) throw std::domain_error("in the first pass");
                             launch_of(copy_row)();
                           }),
               std::domain_error);
  const Counted after = counted("copy_row, after an exception", launch_of(copy_row));
  EXPECT_EQ(after.account.totals.load_sectors, kIdealSectors);
}

// CUPTI may leave hooks behind, which every launch would pay for: the best of ten times of each, so
// that another's work on the device is none.
TEST_F(CountersGpuTest, TimesBeforeAndAfterAreAlike) {
  const Launch launch = launch_of(smem<2>);
  const auto seconds = [&] {
    double best = cuda->seconds(100, launch, false) / 100;
    for (int i = 1; i < 10; ++i) best = std::min(best, cuda->seconds(100, launch, false) / 100);
    return best;
  };
  const double before = seconds();
  (void)counted("smem, padded by 2", launch);
  const double after = seconds();
  std::printf("  one launch: %.2f us before, %.2f us after\n", before * 1e6, after * 1e6);
  EXPECT_LT(after, 1.5 * before);
}

}  // namespace
}  // namespace xpose
