#include "route/shared_meeting.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {
namespace {

// A notice of the begin of a run, or of a later meeting in it.
DeviceRanks::Notice notice_of(int rank, int round, bool is_begin = true) {
  DeviceRanks::Notice notice;
  std::ranges::fill(notice, static_cast<std::byte>(rank * 50 + round));
  notice.front() = is_begin ? std::byte{0} : std::byte{1};
  return notice;
}

bool meets_rightly(SharedMeeting& meeting, int rank, int size, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const auto all = meeting.gather(rank, notice_of(rank, round), 30);
    for (int other = 0; other < size; ++other)
      if (all[static_cast<std::size_t>(other)] != notice_of(other, round)) return false;
  }
  return true;
}

std::string failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A child that ends with the body's answer. Made while there is one thread: what another one had
// locked, an allocator for one, would stay locked in the child.
pid_t child_that(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  return child;
}

int status_of(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(SharedMeetingTest, ProcessesMeetInManyRounds) {
  constexpr int kSize = 3, kRounds = 200;
  const auto meeting = SharedMeeting::make(kSize);
  ASSERT_NE(meeting, nullptr);
  std::vector<pid_t> children;
  for (int rank = 1; rank < kSize; ++rank)
    children.push_back(child_that([&, rank] {
      const auto opened = SharedMeeting::open(meeting->name(), kSize);
      return opened != nullptr && meets_rightly(*opened, rank, kSize, kRounds);
    }));
  EXPECT_TRUE(meets_rightly(*meeting, 0, kSize, kRounds));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

TEST(SharedMeetingTest, MemoryOfAnotherNameIsNotOpened) {
  const auto meeting = SharedMeeting::make(2);
  ASSERT_NE(meeting, nullptr);
  EXPECT_EQ(SharedMeeting::open({}, 2), nullptr);
  SharedMeeting::Name name = meeting->name();
  EXPECT_NE(SharedMeeting::open(name, 2), nullptr);
  EXPECT_EQ(SharedMeeting::open(name, 3), nullptr);
  ++name.drawn;
  EXPECT_EQ(SharedMeeting::open(name, 2), nullptr);
  name = meeting->name();
  name.descriptor = 0;
  EXPECT_EQ(SharedMeeting::open(name, 2), nullptr);
  name.descriptor = 987654;
  EXPECT_EQ(SharedMeeting::open(name, 2), nullptr);
}

TEST(SharedMeetingTest, ARankThatDoesNotComeIsNamed) {
  const auto meeting = SharedMeeting::make(3);
  const auto second = SharedMeeting::open(meeting->name(), 3);
  ASSERT_NE(second, nullptr);
  std::string text;
  std::thread other([&] { text = failure_of([&] { second->gather(2, notice_of(2, 0), 0.02); }); });
  EXPECT_EQ(
      failure_of([&] { meeting->gather(0, notice_of(0, 0), 0.02); }),
      "rank 1 of 3 sent nothing for 0.02 seconds: it has ended, is stopped, or has not run the "
      "route; end the program, or give a longer RouteOptions::deadline_seconds");
  other.join();
  EXPECT_EQ(text.find("rank 1 of 3 sent nothing"), 0U) << text;
}

TEST(SharedMeetingTest, ARankThatIsKilledAmidARunIsNamed) {
  const auto meeting = SharedMeeting::make(2);
  const auto second = SharedMeeting::open(meeting->name(), 2);
  ASSERT_NE(second, nullptr);
  const pid_t other = child_that([&] {
    second->gather(1, notice_of(1, 0), 30);
    return ::kill(::getpid(), SIGKILL) == 0;
  });
  EXPECT_EQ(meeting->gather(0, notice_of(0, 0), 30).size(), 2U);
  const int status = status_of(other);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(failure_of([&] {
              meeting->gather(0, notice_of(0, 1, false), 0.02);
            }).find("rank 1 of 2 sent nothing for 0.02 seconds: it has ended"),
            0U);
}

TEST(SharedMeetingTest, ARankThatGivesUpEndsTheWaitsOfAll) {
  const auto meeting = SharedMeeting::make(2);
  const auto second = SharedMeeting::open(meeting->name(), 2);
  ASSERT_NE(second, nullptr);
  std::thread other([&] { second->give_up(1); });
  EXPECT_EQ(failure_of([&] { meeting->gather(0, notice_of(0, 0), 60); }),
            "rank 1 gave up the route: its own error says why");
  other.join();
}

}  // namespace
}  // namespace xpose
