#include "worker/worker.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "plugin/plugin_file.hpp"
#include "problem/normal_form.hpp"
#include "worker/kernel_kills.hpp"

// What plugins do to it is tested with real ones in tests/zoo.
namespace xpose {
namespace {

const std::filesystem::path kNaive = std::filesystem::path(XPOSE_PLUGINS) / "host_naive.so";

std::string digest_of_naive() { return PluginFile::open(kNaive).digest(); }

Request about(Request::What what) {
  Request request;
  request.what = what;
  request.digest = digest_of_naive();
  request.strategy = "host_naive_row";
  request.configs = {{}};
  request.problem = normal_form(matrix(20, 30, 4));
  request.threads = 1;
  return request;
}

TEST(Worker, LoadsQuotesVerifiesAndTimes) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  const Reply loaded = worker.load(kNaive, digest_of_naive());
  ASSERT_TRUE(loaded.plugin) << loaded.outcome.detail;
  EXPECT_EQ(loaded.plugin->name, "host_naive");
  const Reply quoted = worker.ask(about(Request::What::quote));
  ASSERT_EQ(quoted.quotes.size(), 1U) << quoted.outcome.detail;
  EXPECT_EQ(quoted.quotes[0].outcome.verdict, Verdict::ok);
  EXPECT_EQ(worker.ask(about(Request::What::prepare)).outcome, Outcome{});
  EXPECT_EQ(worker.ask(about(Request::What::verify)).outcome, Outcome{});
  const Reply timed = worker.ask(about(Request::What::time));
  EXPECT_EQ(timed.outcome, Outcome{});
  EXPECT_GT(timed.seconds, 0);
  EXPECT_EQ(worker.generation(), 1U);
}

TEST(Worker, ExaminesAndLeavesInTheOrdinaryWay) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  EXPECT_EQ(worker.leave(), Outcome{});  // there is none
  worker.load(kNaive, digest_of_naive());
  worker.ask(about(Request::What::prepare));
  EXPECT_EQ(worker.ask(about(Request::What::examine)).outcome, Outcome{});
  EXPECT_EQ(worker.leave(), Outcome{});
  EXPECT_EQ(worker.ask(Request{}).outcome.detail.find("it is of xpose"), 0U);  // a fresh one
  EXPECT_EQ(worker.generation(), 2U);
}

TEST(Worker, QuestionsThatLieReadyAreAnsweredInTheirOrder) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  EXPECT_FALSE(worker.has_loaded(digest_of_naive()));
  worker.load(kNaive, digest_of_naive());
  EXPECT_TRUE(worker.has_loaded(digest_of_naive()));
  EXPECT_TRUE(worker.ask_all({}).empty());
  // Together more than a socket holds, and so are the replies.
  std::vector<Request> requests(5, about(Request::What::quote));
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].configs.resize(40'000 + i);
  requests[1].strategy = "another";
  const std::vector<Reply> replies = worker.ask_all(requests);
  ASSERT_EQ(replies.size(), requests.size());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (i == 1) continue;
    EXPECT_EQ(replies[i].outcome, Outcome{});
    EXPECT_EQ(replies[i].quotes.size(), 40'000 + i);
  }
  EXPECT_EQ(replies[1].outcome.detail, "strategy 'another' is not loaded here");
  EXPECT_EQ(worker.generation(), 1U);
}

TEST(Worker, NothingIsAnsweredAfterABadEnd) {
  Worker worker(FORGING_WORKER, 60);
  std::vector<Request> requests(4, about(Request::What::verify));
  requests[0].strategy = requests[2].strategy = requests[3].strategy = "in_order";
  requests[1].strategy = "guessing";
  const std::vector<Reply> replies = worker.ask_all(requests);
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].outcome, Outcome{});
  EXPECT_EQ(replies[1].outcome.verdict, Verdict::protocol_error);
  EXPECT_EQ(worker.ask_all({requests[3], requests[3]}).size(), 2U);
  EXPECT_EQ(worker.generation(), 2U);
}

TEST(Worker, IsStartedAgainWithNothingLoaded) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  worker.load(kNaive, digest_of_naive());
  worker.end();
  EXPECT_EQ(worker.ask(about(Request::What::quote)).outcome.detail,
            "strategy 'host_naive_row' is not loaded here");
  EXPECT_EQ(worker.generation(), 2U);
}

TEST(Worker, AfterALongSilenceWhatWasLoadedIsLoadedAgain) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  worker.load(kNaive, digest_of_naive());
  std::this_thread::sleep_for(std::chrono::duration<double>(kWorkerIdleSeconds / 2 + 0.1));
  EXPECT_FALSE(worker.has_loaded(digest_of_naive()));
  worker.load(kNaive, digest_of_naive());
  EXPECT_EQ(worker.generation(), 2U);
  EXPECT_EQ(worker.ask(about(Request::What::quote)).outcome, Outcome{});
  EXPECT_EQ(worker.generation(), 2U);
}

TEST(Worker, RefusesAFileWhoseContentIsAnother) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  const Reply reply = worker.load(kNaive, std::string(32, '0'));
  EXPECT_EQ(reply.outcome.verdict, Verdict::load_refused);
  EXPECT_EQ(reply.outcome.detail, "was changed on disk; start anew");
}

TEST(Worker, SaysWhatItCannotDo) {
  Worker worker(XPOSE_TRIAL_PROGRAM, 10);
  EXPECT_EQ(worker.ask(about(Request::What::verify)).outcome.detail, "no problem is prepared");
  worker.load(kNaive, digest_of_naive());
  worker.ask(about(Request::What::prepare));
  Request two = about(Request::What::verify);
  two.configs = {{1, 2, 3}};
  EXPECT_EQ(worker.ask(two).outcome.detail, "a trial needs one config of host_naive_row");
}

// ------------------------------------------------------------------------- what a worker may say

class ForgingWorker : public testing::Test {
 protected:
  Outcome verify(const std::string& trick) {
    Request request;
    request.what = Request::What::verify;
    request.strategy = trick;
    return worker.ask(std::move(request)).outcome;
  }

  Worker worker{FORGING_WORKER, 60};
};

TEST_F(ForgingWorker, MayAnnounceEachStageInItsTurn) {
  EXPECT_EQ(verify("in_order"), Outcome{});
  EXPECT_EQ(verify("leaving_out"), Outcome{});
}

// Else each would get the worker the time of a stage again.
TEST_F(ForgingWorker, ExtendsNoDeadlineByNotices) {
  for (const char* trick : {"repeating", "going_back", "inventing", "guessing"}) {
    const Outcome outcome = verify(trick);
    EXPECT_EQ(to_string(outcome.verdict), "protocol_error") << trick;
    EXPECT_TRUE(outcome.detail.starts_with("something else than the worker wrote to descriptor 3"))
        << outcome.detail;
  }
}

TEST_F(ForgingWorker, CrashedWhereItClosedItsChannel) {
  EXPECT_EQ(verify("closing"),
            (Outcome{Verdict::crashed, "closed its channel to the host during launch"}));
  if (!kernel_kills()) GTEST_SKIP() << "SKIPPED: this kernel does not count whom it kills";
  EXPECT_EQ(verify("closing_and_going_on"),
            (Outcome{Verdict::crashed,
                     "crashed during launch: signal 9 (Killed); its last words: "
                     "the plugin closed descriptor 3, the channel to the host"}));
}

TEST_F(ForgingWorker, CrashedWhereItKilledItself) {
  if (!kernel_kills()) GTEST_SKIP() << "SKIPPED: this kernel does not count whom it kills";
  EXPECT_EQ(verify("killing"),
            (Outcome{Verdict::crashed, "crashed during launch: signal 9 (Killed)"}));
}

TEST_F(ForgingWorker, SaysThatAShortDeadlineIsNotRemembered) {
  worker = Worker(FORGING_WORKER, 0.2);
  EXPECT_TRUE(worker.is_impatient());
  EXPECT_EQ(verify("stopping_early"),
            (Outcome{Verdict::timed_out,
                     "launch took more than 0.2 s, which is not remembered: the deadline is "
                     "shorter than the default"}));
  EXPECT_FALSE(Worker(FORGING_WORKER, EngineOptions{}.stage_seconds).is_impatient());
}

// ------------------------------------------------------------------------------------- the start

std::string start_error(const std::filesystem::path& program) {
  Worker worker(program, 10);
  try {
    worker.ask(Request{});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    return error.what();
  }
  return "";
}

TEST(Worker, AMissingProgramIsSaid) {
  const std::string error = start_error("/nonexistent/xpose-trial");
  EXPECT_NE(error.find("/nonexistent/xpose-trial"), std::string::npos) << error;
  EXPECT_NE(error.find("No such file"), std::string::npos) << error;
}

TEST(Worker, AnotherProgramIsNotTakenForIt) {
  const std::string error = start_error("/bin/false");
  EXPECT_NE(error.find("the worker /bin/false is not usable"), std::string::npos) << error;
}

}  // namespace
}  // namespace xpose
