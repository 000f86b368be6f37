// A ring moves pieces where the system has one, and threads where it is refused, at once or later.
#include "run/transfers_at_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>

#include "counted_pieces.hpp"
#include "fake_ring.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kBuffer = CountedPieces::kBuffer;

// Of the rings that were asked for.
std::size_t rings;
std::size_t depth_of_last;
CountedPieces* read_by_rings;
int submits_that_go;

std::unique_ptr<Ring> counted_ring(std::size_t depth) {
  ++rings;
  depth_of_last = depth;
  auto ring = std::make_unique<FakeRing>(
      [](const DirectFile&, const Transfer& t) { return read_by_rings->read(t); });
  ring->submit_answers = [](int call) { return call <= submits_that_go ? 0 : -EPERM; };
  return ring;
}

constexpr int kTransfers = 150;  // of 50 pieces

class TransfersAtOnce : public testing::Test {
 protected:
  void SetUp() override {
    rings = depth_of_last = 0;
    submits_that_go = 1'000'000;
    read_by_rings = &pieces_;
  }

  // Returns the number of calls that threads made.
  int move(MakeRing make) {
    std::atomic<int> calls = 0;
    const auto call = [&](const Transfer& t) {
      ++calls;
      return pieces_.read(t);
    };
    EXPECT_TRUE(
        move_at_once({DirectFile::Direction::read, -1, call}, pieces_, {8, 4, kBuffer, make}));
    EXPECT_TRUE(pieces_.is_whole());
    return calls;
  }

  CountedPieces pieces_ = CountedPieces(50);
};

TEST_F(TransfersAtOnce, AreMadeByARing) {
  EXPECT_EQ(move(counted_ring), 0);
  EXPECT_EQ(rings, 1u);
  EXPECT_EQ(depth_of_last, 8u);
}

TEST_F(TransfersAtOnce, AreMadeByThreadsWhereARingIsDenied) {
  EXPECT_EQ(move(no_ring), kTransfers);
}

TEST_F(TransfersAtOnce, AreMadeByThreadsWhereARingIsRefusedMidway) {
  submits_that_go = 3;
  const int calls = move(counted_ring);
  EXPECT_GT(calls, 0);
  EXPECT_LT(calls, kTransfers);
}

TEST_F(TransfersAtOnce, OfOnePieceNeedNoRing) {
  pieces_ = CountedPieces(1);
  EXPECT_EQ(move(counted_ring), 1);
  EXPECT_EQ(rings, 0u);
}

TEST_F(TransfersAtOnce, SayHow) {
  EXPECT_EQ(at_once_text(counted_ring), "by io_uring");
  EXPECT_EQ(at_once_text(no_ring), "in several threads (io_uring: Operation not permitted)");
}

}  // namespace
}  // namespace xpose::app
