// The strategy `staged` of the host: what it costs a process that does not use it, and what it says
// where there is no GPU.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

const Strategy* staged() {
  for (const Strategy* strategy : loaded_plugins().strategies)
    if (strategy->info.name == "staged") return strategy;
  return nullptr;
}

bool has_driver_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libcuda.so") != std::string::npos) return true;
  return false;
}

TEST(Staged, DescribingAndQuotingItStartsNoDriver) {
  ASSERT_NE(staged(), nullptr);
  EXPECT_EQ(staged()->info.device_kind, DeviceKind::host);
  EXPECT_FALSE(staged()->info.has_simulator);
  const Problem problem = normal_form(matrix(40'000, 40'000, 4));
  for (const Values& values : configs(staged()->info))
    quote(*staged(), values, problem, device_of(DeviceKind::host));
  EXPECT_FALSE(has_driver_loaded());
}

TEST(Staged, DeclinesWhereThereIsNoGpu) {
  if (std::ifstream("/dev/nvidiactl") || std::ifstream("/dev/dxg"))
    GTEST_SKIP() << "SKIPPED: this machine may have a GPU";
  ASSERT_NE(staged(), nullptr);
  const Problem problem = normal_form(matrix(40'000, 40'000, 4));
  for (const Values& values : configs(staged()->info)) {
    const Outcome outcome = quote(*staged(), values, problem, device_of(DeviceKind::host)).outcome;
    EXPECT_EQ(outcome.verdict, Verdict::unsupported);
    EXPECT_TRUE(outcome.detail.starts_with("this machine shows no GPU of NVIDIA"))
        << outcome.detail;
  }
}

// Behind a quote that would have accepted: the driver's own words, as an error of the device.
TEST(Staged, APlanWithoutAGpuIsAnErrorOfTheDevice) {
  if (cuda_unavailable_reason().empty()) GTEST_SKIP() << "SKIPPED: there is a GPU";
  ASSERT_NE(staged(), nullptr);
  const Problem problem = normal_form(matrix(1000, 1000, 4));
  const DeviceInfo device = device_of(DeviceKind::host);
  const xpose_problem abi = to_abi(staged()->info, problem, device);
  char words[256] = "";
  xpose_plan* plan = nullptr;
  const Values values = configs(staged()->info).front();
  EXPECT_EQ(staged()->functions->create(&abi, values.data(), &plan, {words, sizeof words}),
            XPOSE_DEVICE_ERROR);
  EXPECT_TRUE(std::string(words).starts_with("staged needs a CUDA device: ")) << words;
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
}  // namespace xpose
