// Routes between two GPUs by messages of NCCL. XPOSE_LAYOUTS says how many.
#include "device_case.hpp"
#include "xpose/nccl.hpp"

namespace xpose {
namespace {

class NcclRoutes : public EngineTest {
 protected:
  using AllRanks = std::vector<std::shared_ptr<DeviceRanks>>;

  void SetUp() override {
    if (device_count() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
    // Its memory is not everybody's to have; the messages do not need it.
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    const int devices[] = {0, 1};
    ASSERT_EQ(ncclCommInitAll(comms_, 2, devices), ncclSuccess) << ncclGetLastError(nullptr);
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
      ASSERT_EQ(cudaStreamCreateWithFlags(&streams_[rank], cudaStreamNonBlocking), cudaSuccess);
    }
    ranks_ = make_ranks(false);
  }

  void TearDown() override {
    on_both([&](int rank) {
      if (!ranks_.empty()) ranks_[rank] = nullptr;
      if (comms_[rank] != nullptr) (void)ncclCommDestroy(comms_[rank]);
      if (streams_[rank] != nullptr) (void)cudaStreamDestroy(streams_[rank]);
    });
  }

  AllRanks make_ranks(bool may_map_arrays) {
    AllRanks ranks(2);
    on_both(
        [&](int rank) { ranks[rank] = nccl_ranks(comms_[rank], streams_[rank], may_map_arrays); });
    return ranks;
  }

  // Each in a thread of its own, because both calls wait for each other.
  template <class Body>
  static void on_both(const Body& body) {
    std::vector<std::string> texts(2);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (const std::exception& error) {
          texts[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(texts, std::vector<std::string>(2));
  }

  ncclComm_t comms_[2] = {};
  cudaStream_t streams_[2] = {};
  AllRanks ranks_;
};

DeviceCase large_case() {
  DeviceCase large;
  large.options.transpose = true;
  large.options.memory = std::uint64_t{8} << 20;
  large.from = row_slabs(5003, 9001, 4, 2);
  large.to = row_slabs(9001, 5003, 4, 2);
  return large;
}

TEST_F(NcclRoutes, RandomLayoutsAreExact) { expect_exact_routes(engine(), ranks_); }

TEST_F(NcclRoutes, AMatrixOfManyChunksIsExact) { large_case().expect_exact(engine(), ranks_); }

TEST_F(NcclRoutes, ArraysThatAreMappedAreExact) {
  AllRanks mapping = make_ranks(true);
  expect_exact_routes(engine(), mapping);
  large_case().expect_exact(engine(), mapping);
  expect_exact_square_in_place(engine(), mapping);
  on_both([&](int rank) { mapping[rank] = nullptr; });
}

TEST_F(NcclRoutes, ASquareOfManyChunksIsExactInPlace) {
  expect_exact_square_in_place(engine(), ranks_);
}

TEST_F(NcclRoutes, ARankThatDoesNotComeIsNamed) {
  const Placement placement = row_slabs(64, 64, 4, 2);
  const auto texts = run_ranks(ranks_, [&](const std::shared_ptr<DeviceRanks>& own) {
    if (own->rank() == 1) return;
    check_cuda_call(cudaSetDevice(0), "making a device current");
    RouteOptions options;
    options.devices = own;
    options.deadline_seconds = 1.5;
    const DeviceBytes in(std::vector<std::byte>(64 * 32 * 4)), out(in.content());
    engine().route(placement, placement, options).run(in.data(), out.data());
  });
  EXPECT_EQ(texts[0].find("rank 1 of 2 has not come to a message of rank 0 for 1.5 seconds: "), 0U)
      << texts[0];
  EXPECT_THROW(ranks_[0]->finish(1), Error);
}

}  // namespace
}  // namespace xpose
