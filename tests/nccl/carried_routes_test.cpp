// Routes between ranks that share one GPU and whose messages pass through host memory. The ranks
// are threads, so that no MPI is needed. XPOSE_LAYOUTS says how many are drawn.
#include "../core/route/fake_ranks.hpp"
#include "../core/route/route_case.hpp"
#include "device_case.hpp"

namespace xpose {
namespace {

constexpr Device kDevice{DeviceKind::cuda, 0};

class CarriedRoutes : public EngineTest {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
  }

  static void expect_exact(const DeviceCase& drawn, int ranks, const CarriedOptions& options) {
    FakeRanks all(ranks, drawn.seed);
    const auto failures = all.run([&](const std::shared_ptr<Ranks>& carrier) {
      check_cuda_call(cudaSetDevice(kDevice.ordinal), "making a device current");
      cudaStream_t stream = nullptr;
      check_cuda_call(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
      CarriedOptions own_options = options;
      own_options.stream = stream;
      {
        const auto own = carried_ranks(carrier, kDevice, own_options);
        EXPECT_FALSE(own->is_direct());
        DeviceCase::Held mine;
        drawn.prepare(engine(), own, mine);
        for (const auto& out : mine.out) {
          mine.route->run((drawn.options.in_place ? out : mine.in)->data(), out->data());
          EXPECT_TRUE(out->content() == mine.wanted)
              << "rank " << own->rank() << ": " << drawn.text();
        }
      }
      check_cuda_call(cudaStreamDestroy(stream), "a stream");
    });
    for (const std::exception_ptr& failure : failures)
      EXPECT_EQ(text_of(failure), "") << drawn.text();
  }
};

TEST_F(CarriedRoutes, RandomLayoutsAreExact) {
  for (std::uint64_t seed = 1; seed <= number_from("XPOSE_LAYOUTS", 40); ++seed) {
    const int ranks = static_cast<int>(seed % 4) + 1;
    expect_exact(DeviceCase(seed, ranks), ranks,
                 {.may_map_arrays = seed % 3 == 0,
                  .memory = seed % 2 == 0 ? std::uint64_t{9000} : std::uint64_t{64} << 20});
    ASSERT_FALSE(HasFailure());
  }
}

// Of many chunks, each in many pieces: copies of some run beside messages, packing and unpacking.
TEST_F(CarriedRoutes, AMatrixOfManyChunksIsExact) {
  for (const auto& [in_place, maps] : {std::pair{false, false}, {false, true}, {true, false}}) {
    DeviceCase large;
    large.options.transpose = true;
    large.options.in_place = in_place;
    large.options.memory = std::uint64_t{8} << 20;
    large.from = row_slabs(in_place ? 4099 : 5003, in_place ? 4099 : 6001, 4, 3);
    large.to = in_place ? large.from : row_slabs(6001, 5003, 4, 3);
    expect_exact(large, 3, {.may_map_arrays = maps, .memory = std::uint64_t{2} << 20});
  }
}

TEST_F(CarriedRoutes, ARankThatDoesNotComeIsNamed) {
  FakeRanks all(3);
  const auto failures = all.run([&](const std::shared_ptr<Ranks>& carrier) {
    const auto own = carried_ranks(carrier, kDevice);
    if (own->rank() == 1) return;
    const Placement placement = row_slabs(64, 64, 4, 3);
    RouteOptions options;
    options.devices = own;
    const DeviceBytes in(std::vector<std::byte>(64 * 22 * 4)), out(in.content());
    engine().route(placement, placement, options).run(in.data(), out.data());
  });
  for (const std::size_t rank : {0, 2})
    EXPECT_NE(text_of(failures[rank]).find("rank 1 of 3 sent nothing for 10 seconds"),
              std::string::npos);
}

TEST_F(CarriedRoutes, OneRankAloneMovesWhatItKeeps) {
  const auto own = carried_ranks(nullptr, kDevice);
  DeviceCase alone(7, 1);
  alone.expect_exact(engine(), {own});
}

}  // namespace
}  // namespace xpose
