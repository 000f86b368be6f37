// Routes between devices that write into each other's arrays. One device stands for both where
// there is one alone. XPOSE_LAYOUTS says how many.
#include "device_case.hpp"

namespace xpose {
namespace {

class PeerRoutes : public EngineTest {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
  }
  static std::vector<std::shared_ptr<DeviceRanks>> two_ranks() {
    return peer_ranks(
        {Device{DeviceKind::cuda, 0}, Device{DeviceKind::cuda, device_count() > 1 ? 1 : 0}});
  }
};

TEST_F(PeerRoutes, RandomLayoutsAreExact) { expect_exact_routes(engine(), two_ranks()); }

TEST_F(PeerRoutes, AMatrixOfManyPartsIsExact) {
  DeviceCase large;
  large.options.transpose = true;
  large.from = row_slabs(5003, 9001, 4, 2);
  large.to = row_slabs(9001, 5003, 4, 2);
  large.expect_exact(engine(), two_ranks());
}

TEST_F(PeerRoutes, ASquareOfManyChunksIsExactInPlace) {
  expect_exact_square_in_place(engine(), two_ranks());
}

TEST_F(PeerRoutes, ARankThatDoesNotComeIsNamed) {
  const Placement placement = row_slabs(64, 64, 4, 2);
  const auto texts = run_ranks(two_ranks(), [&](const std::shared_ptr<DeviceRanks>& own) {
    if (own->rank() == 1) return;
    RouteOptions options;
    options.devices = own;
    options.deadline_seconds = 0.25;
    const DeviceBytes in(std::vector<std::byte>(64 * 32 * 4)), out(in.content());
    engine().route(placement, placement, options).run(in.data(), out.data());
  });
  EXPECT_EQ(texts[0].find("rank 1 of 2 sent nothing for 0.25 seconds: "), 0U) << texts[0];
}

}  // namespace
}  // namespace xpose
