// Threads move all pieces, or the first error ends all of them.
#include "run/thread_transfers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "counted_pieces.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kBuffer = CountedPieces::kBuffer;

TEST(ThreadTransfers, MoveAllPieces) {
  for (const std::size_t threads : {1, 4, 100}) {
    CountedPieces pieces(50);
    EXPECT_TRUE(move_by_threads(pieces.file(), pieces, threads, kBuffer));
    EXPECT_TRUE(pieces.is_whole()) << threads;
  }
}

TEST(ThreadTransfers, ShortOrInterruptedGoOn) {
  CountedPieces pieces(50);
  std::atomic<int> calls = 0;
  const auto call = [&](const Transfer& t) {
    return ++calls % 2 == 0 ? -EINTR
                            : pieces.read({t.offset, t.bytes.first((t.bytes.size() + 1) / 2)});
  };
  EXPECT_TRUE(move_by_threads({DirectFile::Direction::read, -1, call}, pieces, 4, kBuffer));
  EXPECT_TRUE(pieces.is_whole());
}

TEST(ThreadTransfers, EndWithTheFirstError) {
  CountedPieces pieces(1000);
  std::atomic<int> calls = 0;
  const auto call = [&](const Transfer& t) { return ++calls < 5 ? pieces.read(t) : -ENOSPC; };
  try {
    move_by_threads({DirectFile::Direction::read, -1, call}, pieces, 4, kBuffer);
    FAIL() << "no error";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOSPC);
  }
  EXPECT_LE(calls, 4 + 4);  // one of each thread
}

}  // namespace
}  // namespace xpose::app
