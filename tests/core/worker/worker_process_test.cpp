#include "worker/worker_process.hpp"

#include <sys/wait.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>
#include <xpose/problem.hpp>

#include "fake_worker.hpp"
#include "worker/frame.hpp"

// What surrounds it is tested in worker_process_host_test.
namespace xpose {
namespace {

class WorkerProcessTest : public WithFakeWorker {};
// In this order: a filter stays.
INSTANTIATE_TEST_SUITE_P(ByDescriptor, WorkerProcessTest, testing::Values(Watching::by_descriptor));
INSTANTIATE_TEST_SUITE_P(ByAsking, WorkerProcessTest, testing::Values(Watching::by_asking));

// ---------------------------------------------------------------------------------- conversation

TEST_P(WorkerProcessTest, Answers) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(answer(worker, "echo hello"), "hello");
  EXPECT_EQ(answer(worker, "echo "), "");
  EXPECT_EQ(worker.receive(0).heard, Heard::late);
}

TEST_P(WorkerProcessTest, CarriesLargeMessages) {
  WorkerProcess worker(FAKE_WORKER);
  const std::string text(kMaxFrame - 5, 'x');
  EXPECT_TRUE(answer(worker, "echo " + text) == text);
  EXPECT_THROW(worker.send(std::string(kMaxFrame + 1, 'x'), kPatient), Error);
  EXPECT_EQ(answer(worker, "echo again"), "again");
}

TEST_P(WorkerProcessTest, HearsMessagesInPieces) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(answer(worker, "send slowly"), "byte by byte");
}

TEST_P(WorkerProcessTest, HearsAllThatWasSentBeforeTheEnd) {
  WorkerProcess worker(FAKE_WORKER);
  ask(worker, "send and exit");
  for (const char letter : {'a', 'b', 'c'}) {
    const auto reply = worker.receive(kPatient);
    EXPECT_EQ(reply.heard, Heard::message);
    EXPECT_EQ(reply.payload, std::string(20'000, letter));
  }
  EXPECT_EQ(worker.receive(kPatient).heard, Heard::ended);
  EXPECT_EQ(worker.kill(), exited(3));
}

TEST_P(WorkerProcessTest, StopsSendingToOneThatDoesNotRead) {
  WorkerProcess worker(FAKE_WORKER);
  ask(worker, "hang");
  EXPECT_FALSE(worker.send(std::string(kMaxFrame, 'x'), kSoon));
  EXPECT_FALSE(worker.send("after half a frame", kPatient));
}

TEST_P(WorkerProcessTest, SendsToADeadOneWithoutASignal) {
  std::signal(SIGPIPE, SIG_DFL);
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(hear(worker, "exit", kPatient), Heard::ended);
  EXPECT_FALSE(worker.send("anyone?", kPatient));
  EXPECT_EQ(worker.receive(kPatient).heard, Heard::ended);
}

// --------------------------------------------------------------------------------------- its ends

TEST_P(WorkerProcessTest, SaysHowItEnded) {
  const std::vector<std::pair<std::string, ProcessEnd>> ends = {
      {"exit", exited(3)}, {"abort", signalled(SIGABRT)}, {"segfault", signalled(SIGSEGV)}};
  for (const auto& [request, end] : ends) {
    WorkerProcess worker(FAKE_WORKER);
    EXPECT_EQ(hear(worker, request, kPatient), Heard::ended) << request;
    EXPECT_EQ(worker.kill(), end);
    EXPECT_EQ(worker.kill(), end) << "asked again";
  }
}

TEST_P(WorkerProcessTest, KillsWhatHangs) {
  for (const std::string request :
       {"hang", "spin", "close the output", "send without end", "flood"}) {
    WorkerProcess worker(FAKE_WORKER);
    EXPECT_EQ(hear(worker, request, kSoon), Heard::late) << request;
    EXPECT_EQ(worker.kill(), signalled(SIGKILL)) << request;
    EXPECT_EQ(waitpid(worker.pid(), nullptr, WNOHANG), -1) << "left unreaped: " << request;
  }
}

TEST_P(WorkerProcessTest, KillsWhatClosesItsChannel) {
  WorkerProcess silent(FAKE_WORKER);
  EXPECT_EQ(hear(silent, "stop talking", kPatient), Heard::ended);
  EXPECT_EQ(silent.kill(), signalled(SIGKILL));

  // Its thread that watches the host may still hold the channel open: then it is late.
  WorkerProcess closed(FAKE_WORKER);
  const Heard heard = hear(closed, "close the channel", kSoon);
  EXPECT_TRUE(heard == Heard::ended || heard == Heard::late);
  EXPECT_EQ(closed.kill(), signalled(SIGKILL));
}

TEST_P(WorkerProcessTest, KnowsGarbage) {
  for (const std::string request : {"write garbage", "send too much"}) {
    WorkerProcess worker(FAKE_WORKER);
    EXPECT_EQ(hear(worker, request, kPatient), Heard::garbage) << request;
    EXPECT_EQ(worker.receive(kPatient).heard, Heard::garbage) << request;
  }
}

TEST_P(WorkerProcessTest, HalfAMessageIsNone) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(hear(worker, "send half", kPatient), Heard::ended);
  EXPECT_EQ(worker.kill(), exited(3));
}

TEST_P(WorkerProcessTest, KillsOneThatLeftItsGroup) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(answer(worker, "leave the group"), "done");
  EXPECT_EQ(worker.kill(), signalled(SIGKILL));
}

TEST_P(WorkerProcessTest, EndsWithTheObject) {
  Leash leash;
  {
    WorkerProcess worker(FAKE_WORKER);
    ASSERT_EQ(answer(worker, "hold " + leash.path()), "done");
    EXPECT_EQ(answer(worker, "have a child"), "done");
    EXPECT_FALSE(leash.nobody_holds(0));
  }
  EXPECT_TRUE(leash.nobody_holds(60'000));
}

// --------------------------------------------------------------------------------- its children

TEST_P(WorkerProcessTest, AChildThatLivesOnDoesNotHideTheEnd) {
  Leash leash;
  WorkerProcess worker(FAKE_WORKER);
  ASSERT_EQ(answer(worker, "hold " + leash.path()), "done");
  ask(worker, "leave a child");
  EXPECT_EQ(worker.receive(kPatient).heard, Heard::ended);
  EXPECT_FALSE(leash.nobody_holds(0)) << "the child did not live";
  EXPECT_EQ(worker.kill(), exited(0));
  EXPECT_TRUE(leash.nobody_holds(60'000)) << "the child was not killed";
}

TEST_P(WorkerProcessTest, AChildThatEscapesDoesNotKeepAnyoneWaiting) {
  Leash leash;  // lets the child go at the end
  WorkerProcess worker(FAKE_WORKER);
  ASSERT_EQ(answer(worker, "hold " + leash.path()), "done");
  ask(worker, "let a child escape");
  EXPECT_EQ(worker.receive(kPatient).heard, Heard::ended);
  EXPECT_EQ(worker.kill(), exited(0));
  EXPECT_EQ(worker.last_words(), "");
}

// ----------------------------------------------------------------------------------- its output

TEST_P(WorkerProcessTest, KeepsLastWords) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(worker.last_words(), "");
  EXPECT_EQ(hear(worker, "words", kPatient), Heard::ended);
  EXPECT_EQ(worker.kill(), exited(1));
  EXPECT_EQ(worker.last_words(), "first | [31msecond");
}

TEST_P(WorkerProcessTest, AFloodBlocksNobody) {
  WorkerProcess worker(FAKE_WORKER);
  EXPECT_EQ(answer(worker, "flood a little"), "done");
  EXPECT_EQ(worker.last_words(), std::string(2047, '.'));  // and the end of the line
}

TEST(ProcessEnd, ReadsAsAPhrase) {
  EXPECT_EQ(to_string(exited(3)), "exit status 3");
  EXPECT_EQ(to_string(signalled(SIGSEGV)), "signal 11 (Segmentation fault)");
  EXPECT_EQ(to_string(signalled(40)), "signal 40");
  EXPECT_EQ(to_string(ProcessEnd{}), "unknown status");
}

}  // namespace
}  // namespace xpose
