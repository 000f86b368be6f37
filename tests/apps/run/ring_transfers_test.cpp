// A ring moves all pieces, or leaves some and nothing under way, whatever the kernel answers.
#include "run/ring_transfers.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <system_error>

#include "counted_pieces.hpp"
#include "fake_ring.hpp"
#include "run/thread_transfers.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kBuffers = 8;
constexpr std::size_t kBuffer = CountedPieces::kBuffer;

class RingTransfers : public testing::Test {
 protected:
  bool move(Ring& ring, const DirectFile& file) {
    return move_by_ring(ring, file, pieces_, kBuffers, kBuffer);
  }
  bool move(Ring& ring) { return move(ring, pieces_.file()); }

  // That others can do the rest.
  void expect_rest() {
    EXPECT_FALSE(pieces_.is_whole());
    EXPECT_TRUE(move_by_threads(pieces_.file(), pieces_, 4, kBuffer));
    EXPECT_TRUE(pieces_.is_whole());
  }

  // The errno with which the pieces end.
  int error_of(Ring& ring, const DirectFile& file) {
    try {
      move(ring, file);
      return 0;
    } catch (const std::system_error& error) {
      return error.code().value();
    }
  }

  DirectFile calls_that_fail(int error) const {
    return {DirectFile::Direction::read, -1,
            [error](const Transfer&) { return static_cast<ssize_t>(-error); }};
  }

  // A ring whose third transfer and all that follow end so.
  FakeRing ending(int error) {
    return FakeRing([this, error, count = 0](const DirectFile&, const Transfer& t) mutable {
      return ++count < 3 ? pieces_.read(t) : -error;
    });
  }

  CountedPieces pieces_ = CountedPieces(50);
  FakeRing::Make read_ = [this](const DirectFile&, const Transfer& t) { return pieces_.read(t); };
};

TEST_F(RingTransfers, MoveAllPiecesByAllBuffers) {
  FakeRing ring(read_);
  EXPECT_TRUE(move(ring));
  EXPECT_TRUE(pieces_.is_whole());
  EXPECT_EQ(ring.most_under_way(), kBuffers);
}

TEST_F(RingTransfers, OfFewPiecesNeedFewBuffers) {
  for (const std::size_t count : {0, 1, 7}) {
    pieces_ = CountedPieces(count);
    FakeRing ring(read_);
    EXPECT_TRUE(move(ring));
    EXPECT_TRUE(pieces_.is_whole());
    EXPECT_EQ(ring.most_under_way(), count);
  }
}

TEST_F(RingTransfers, ShortOnesGoOn) {
  FakeRing ring([&](const DirectFile&, const Transfer& t) {
    return pieces_.read({t.offset, t.bytes.first((t.bytes.size() + 1) / 2)});
  });
  EXPECT_TRUE(move(ring));
  EXPECT_TRUE(pieces_.is_whole());
}

TEST_F(RingTransfers, ThatCannotBeMadeNowAreMadeByACall) {
  for (const int error : {EAGAIN, EINTR}) {
    pieces_ = CountedPieces(50);
    FakeRing ring = ending(error);
    EXPECT_TRUE(move(ring)) << error;
    EXPECT_TRUE(pieces_.is_whole());
  }
}

TEST_F(RingTransfers, RefusedByTheRingAloneLeaveTheRest) {
  for (const int error : {EINVAL, EOPNOTSUPP, EPERM, ECANCELED}) {
    pieces_ = CountedPieces(50);
    FakeRing ring = ending(error);
    EXPECT_FALSE(move(ring)) << error;
    expect_rest();
  }
}

TEST_F(RingTransfers, ThatACallCannotMakeEitherAreAnError) {
  for (const int error : {EIO, ENOSPC, EINVAL}) {
    FakeRing ring = ending(error);
    EXPECT_EQ(error_of(ring, calls_that_fail(error)), error);
  }
}

TEST_F(RingTransfers, RefusedAtOnceOrMidwayLeaveTheRest) {
  for (const int first : {1, 2, 3, 9}) {
    pieces_ = CountedPieces(50);
    FakeRing ring(read_);
    ring.submit_answers = [first](int call) { return call < first ? 0 : -EPERM; };
    EXPECT_FALSE(move(ring)) << first;
    EXPECT_EQ(ring.submits(), first);
    expect_rest();
  }
}

TEST_F(RingTransfers, WaitWhereTheKernelTakesNoMore) {
  for (const int error : {EAGAIN, EBUSY, EINTR}) {
    pieces_ = CountedPieces(50);
    FakeRing ring(read_);
    ring.submit_answers = [error](int call) { return call % 2 == 0 ? -error : 0; };
    EXPECT_TRUE(move(ring)) << error;
    EXPECT_TRUE(pieces_.is_whole());
  }
}

TEST_F(RingTransfers, ForWhichTheKernelHasNoRoomAtAllLeaveTheRest) {
  FakeRing ring(read_);
  ring.submit_answers = [](int) { return -EAGAIN; };
  EXPECT_FALSE(move(ring));
  EXPECT_EQ(ring.submits(), 1);
  expect_rest();
}

TEST_F(RingTransfers, GoOnWhereTheKernelTakesOneAtATime) {
  FakeRing ring(read_);
  ring.most_taken = 1;
  EXPECT_TRUE(move(ring));
  EXPECT_TRUE(pieces_.is_whole());
}

// Nothing may be written to their buffers behind that. The ring looks.
TEST_F(RingTransfers, AreWaitedForWhateverAWaitAnswers) {
  FakeRing ring(read_);
  ring.submit_answers = [](int call) { return call == 1 ? 0 : -EPERM; };
  ring.wait_answers = [](int) { return -EPERM; };
  EXPECT_FALSE(move(ring));
  expect_rest();
}

}  // namespace
}  // namespace xpose::app
