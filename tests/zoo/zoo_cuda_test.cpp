// CUDA plugins that do harm: each ends as it should, and this process's own context lives on.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "survival.hpp"

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

class CudaZoo : public testing::TestWithParam<Animal> {};

TEST_P(CudaZoo, Survives) {
  if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
    GTEST_SKIP() << "SKIPPED: " << reason;
  const Device device{DeviceKind::cuda, 0};
  DeviceMemory before(device, 4);  // this process has a context before the animal comes
  const std::uint32_t sent = 0x1234567;
  before.upload(&sent, sizeof sent);
  const Animal& animal = GetParam();
  expect_survival(animal, animal_file(animal.name), {fs::path(XPOSE_PLUGINS) / "cuda_naive.so"},
                  device);
  std::uint32_t kept = 0;
  before.download(&kept, sizeof kept);
  EXPECT_EQ(kept, sent);
}

const std::vector<Animal> kAnimals = {
    {"cuda_hang", Verdict::timed_out, {"last words of cuda_hang"}, false, 5},
    {"cuda_illegal_address",
     Verdict::device_error,
     {"illegal memory access", "last words of cuda_illegal_address"}},
    {"cuda_sticky_error", Verdict::device_error},
    {"cuda_leak", Verdict::no_memory, {"out of memory"}},
    {"cuda_do_nothing", Verdict::wrong_result, {"not written"}},
    {"cuda_finish_later", Verdict::wrong_result},
    {"cuda_right_at_first",
     Verdict::wrong_result,
     {"should be in[", "not written when a timed launch returned"}},
    {"cuda_write_before_output", Verdict::wrote_outside, {"1 bytes before the output"}},
    {"cuda_write_after_output", Verdict::wrote_outside, {"past the output"}},
    {"cuda_write_into_input", Verdict::modified_input, {"byte 0 of the input"}},
};

INSTANTIATE_TEST_SUITE_P(Device, CudaZoo, testing::ValuesIn(kAnimals),
                         [](const auto& info) { return info.param.name; });

TEST(CudaZooAlone, NoAnimalIsForgotten) {
  std::set<std::string> met;
  for (const Animal& animal : kAnimals) met.insert(animal.name);
  std::istringstream built(ZOO_ANIMALS);
  for (std::string name; built >> name;) EXPECT_TRUE(met.contains(name)) << name;
}

}  // namespace
}  // namespace xpose::zoo
