// CUDA plugins whose output is right in every trial, but that do harm beside it.
#include <gtest/gtest.h>

#include "enclosure.hpp"
#include "improper.hpp"

namespace xpose::zoo {
namespace {

class CudaConformance : public testing::TestWithParam<Improper> {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
  }
};

TEST_P(CudaConformance, SaysWhatIsNotProper) { expect_found(GetParam()); }

const std::vector<Improper> kAnimals = {
    {"cuda_believe_guard",
     Verdict::wrong_result,
     {"with other bytes around and between the elements", "should be in["}},
    {"cuda_share_scratch", Verdict::wrong_result, {"from two threads at once", "should be in["}},
};
INSTANTIATE_TEST_SUITE_P(Device, CudaConformance, testing::ValuesIn(kAnimals),
                         [](const auto& info) { return info.param.name; });

TEST(CudaConformanceAlone, NoAnimalIsForgotten) { expect_none_forgotten(kAnimals); }

}  // namespace
}  // namespace xpose::zoo
