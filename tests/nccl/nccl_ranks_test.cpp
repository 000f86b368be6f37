// The ranks of <xpose/nccl.hpp> over a fake of NCCL, in threads and without a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "../core/route/threads_of_ranks.hpp"
#include "fake_nccl.hpp"
#include "xpose/nccl.hpp"

namespace xpose {
namespace {

class NcclRanksTest : public testing::Test {
 protected:
  explicit NcclRanksTest(int size = 3) {
    fake_counts().wrong_calls = 0;
    fake_counts().aborted = 0;
    const auto world = std::make_shared<FakeWorld>();
    world->size = size;
    comms_.resize(static_cast<std::size_t>(size));
    streams_.resize(comms_.size());
    for (std::size_t rank = 0; rank < comms_.size(); ++rank) {
      comms_[rank].world = world;
      comms_[rank].rank = static_cast<int>(rank);
      ranks_.push_back(nccl_ranks(&comms_[rank], &streams_[rank]));
    }
  }
  ~NcclRanksTest() override {
    ranks_.clear();
    EXPECT_EQ(fake_counts().comms, 0);
    EXPECT_EQ(fake_counts().memory, 0);
    EXPECT_EQ(fake_counts().wrong_calls, 0);
  }

  std::vector<FakeComm> comms_;
  std::vector<FakeStream> streams_;
  std::vector<std::shared_ptr<DeviceRanks>> ranks_;
};

DeviceRanks::Notice notice_of(int rank) {
  DeviceRanks::Notice notice;
  std::ranges::fill(notice, static_cast<std::byte>(rank + 1));
  return notice;
}

TEST_F(NcclRanksTest, EveryRankGathersTheNoticesOfAll) {
  const auto texts = run_ranks(ranks_, [](const std::shared_ptr<DeviceRanks>& own) {
    EXPECT_EQ(own->size(), 3);
    EXPECT_EQ(own->device(), (Device{DeviceKind::cuda, own->rank()}));
    EXPECT_FALSE(own->reaches_others());
    for (int i = 0; i < 2; ++i) {
      const auto all = own->gather(notice_of(own->rank() + i), 60);
      ASSERT_EQ(all.size(), 3U);
      for (int rank = 0; rank < 3; ++rank)
        EXPECT_EQ(all[static_cast<std::size_t>(rank)], notice_of(rank + i));
    }
  });
  EXPECT_EQ(texts, std::vector<std::string>(3));
}

TEST_F(NcclRanksTest, MessagesArriveInTheOrderOfTheirCalls) {
  const auto texts = run_ranks(ranks_, [](const std::shared_ptr<DeviceRanks>& own) {
    const int next = (own->rank() + 1) % 3, last = (own->rank() + 2) % 3;
    std::vector<std::vector<std::byte>> sent, received;
    for (int i = 0; i < 4; ++i) {
      sent.emplace_back(100, static_cast<std::byte>(10 * own->rank() + i));
      received.emplace_back(100);
    }
    for (std::size_t i = 0; i < 4; ++i)
      own->exchange({{next, sent[i].data(), 100}}, {{last, received[i].data(), 100}}, 60);
    own->exchange({}, {}, 60);
    own->finish(60);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(received[static_cast<std::size_t>(i)],
                std::vector<std::byte>(100, static_cast<std::byte>(10 * last + i)));
  });
  EXPECT_EQ(texts, std::vector<std::string>(3));
}

TEST_F(NcclRanksTest, ARankThatDoesNotComeEndsTheOthersAfterTheDeadline) {
  const auto texts = run_ranks(ranks_, [](const std::shared_ptr<DeviceRanks>& own) {
    if (own->rank() == 1) return;
    try {
      own->gather(notice_of(0), 0.25);
    } catch (const Error& error) {
      own->abandon();
      own->abandon();
      EXPECT_THROW(own->gather(notice_of(0), 1), Error);
      EXPECT_THROW(own->exchange({}, {}, 1), Error);
      throw;
    }
  });
  EXPECT_EQ(texts[2],
            "some of the 3 ranks have not come to a message of rank 2 for 0.25 seconds: ended, "
            "stopped, or late; end the program, or give a longer RouteOptions::deadline_seconds");
  EXPECT_EQ(fake_counts().aborted, 2);
  EXPECT_EQ(cudaStreamQuery(static_cast<cudaStream_t>(ranks_[2]->stream())), cudaSuccess);
}

TEST_F(NcclRanksTest, AnErrorOfNcclIsASentence) {
  fake_counts().sends_fail = true;
  std::byte data{};
  try {
    ranks_[0]->exchange({{1, &data, 1}}, {}, 1);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "NCCL cannot begin a group of messages on rank 0: an error of the system; a cable is "
              "missing");
  }
  fake_counts().sends_fail = false;
}

class TwoNcclRanksTest : public NcclRanksTest {
 protected:
  TwoNcclRanksTest() : NcclRanksTest(2) {}
};

TEST_F(TwoNcclRanksTest, OfTwoRanksTheLateOneIsNamed) {
  try {
    ranks_[1]->gather(notice_of(1), 0.125);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("rank 0 of 2 has not come to a message of rank 1 for "
                        "0.125 seconds: "),
              0U);
  }
  ranks_[1]->abandon();
}

}  // namespace
}  // namespace xpose
