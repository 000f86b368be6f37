#include "worker/trial_service.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "plugin/limits.hpp"
#include "plugin/plugin_file.hpp"
#include "worker/busy_threads.hpp"
#include "worker/host_channel.hpp"
#include "worker/worker.hpp"

namespace xpose {
namespace {

// Processes that the calling thread has started and that run or were not waited for; none where
// the kernel does not tell.
std::set<pid_t> children() {
  std::ifstream file("/proc/thread-self/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

}  // namespace

void TrialService::load(const Request& request, Reply& reply) {
  try {
    PluginFile file = PluginFile::open(request.file);
    if (file.digest() != request.digest) throw Refusal{"was changed on disk; start anew"};
    const PluginLibrary& library = load_plugin(std::move(file), request.digest);
    if (encode(library.info).size() > kMaxDescriptionBytes)
      throw Refusal{"describes itself in more than " + std::to_string(kMaxDescriptionBytes) +
                    " bytes; leave values of axes out, or make several plugins of it"};
    loaded_[request.digest] = &library;
    reply.plugin = library.info;
  } catch (const Refusal& refusal) {
    reply.outcome = {Verdict::load_refused, refusal.why};
  }
}

const Strategy& TrialService::strategy_of(const Request& request) const {
  const auto library = loaded_.find(request.digest);
  if (library != loaded_.end())
    if (const auto* found = find_strategy(library->second->strategies, request.strategy))
      return *found;
  throw Error(ErrorKind::failed, "strategy '" + request.strategy + "' is not loaded here");
}

void TrialService::quote(const Request& request, Reply& reply) {
  const Strategy& strategy = strategy_of(request);
  for (const Values& values : request.configs) {
    if (values.size() != strategy.info.axes.size())
      throw Error(ErrorKind::failed, "a config of " + request.strategy + " has " +
                                         std::to_string(strategy.info.axes.size()) +
                                         " values, not " + std::to_string(values.size()));
    reply.quotes.push_back(xpose::quote(strategy, values, request.problem, request.device));
  }
}

void TrialService::prepare(const Request& request) {
  runner_.reset();  // frees what the last problem took
  problem_ = request.problem;
  runner_ = std::make_unique<InProcessRunner>(backend(problem_.device), problem_, request.threads,
                                              request.warm, [this](std::string_view stage) {
                                                enter(stage);
                                                Reply notice;
                                                notice.id = id_;
                                                notice.stage = stage;
                                                send_(notice);
                                              });
  runner_->prepare();
}

// As its strategy quotes it here and now.
Candidate TrialService::candidate(const Request& request) const {
  if (runner_ == nullptr) throw Error(ErrorKind::failed, "no problem is prepared");
  const Strategy& strategy = strategy_of(request);
  if (request.configs.size() != 1 || request.configs[0].size() != strategy.info.axes.size())
    throw Error(ErrorKind::failed, "a trial needs one config of " + request.strategy);
  return candidate_of(
      strategy, request.configs[0],
      xpose::quote(strategy, request.configs[0], problem_, backend(problem_.device).info()));
}

// Between stages the process is put back to what it was. A launch runs in the thread of a caller,
// who would be left with what it changed there.
void TrialService::enter(std::string_view stage) {
  if (getpid() != process_) std::_Exit(EXIT_FAILURE);  // a copy, made by a fork of the plugin
  const std::string changed = state_.restore();
  if (launched_ && misdeed_.empty()) {
    if (!std::ranges::includes(children_, children()))
      misdeed_ = "its launch left a child process behind";
    else if (!changed.empty())
      misdeed_ = "its launch changed " + changed + " in the thread that called it";
  }
  launched_ = stage.starts_with("launch") || stage == "time";
  if (launched_) children_ = children();
}

void TrialService::greet(const Request& request, Reply& reply) {
  if (request.version != build_version())
    reply.outcome = {Verdict::protocol_error,
                     "it is of xpose " + build_version() + ", the library of " + request.version};
}

void TrialService::try_candidate(const Request& request, Reply& reply) {
  const Candidate tried = candidate(request);
  if (tried.outcome.verdict != Verdict::ok) {
    reply.outcome = tried.outcome;
  } else if (request.what == Request::What::time) {
    const Sample sample = runner_->time(tried);
    reply.outcome = sample.outcome;
    reply.seconds = sample.seconds;
  } else if (request.what == Request::What::examine) {
    reply.outcome = runner_->examine(tried);
  } else {
    reply.outcome = runner_->verify(tried);
  }
}

void TrialService::carry_out(const Request& request, Reply& reply) {
  switch (request.what) {
    case Request::What::hello:
      return greet(request, reply);
    case Request::What::load:
      return load(request, reply);
    case Request::What::quote:
      return quote(request, reply);
    case Request::What::prepare:
      return prepare(request);
    case Request::What::verify:
    case Request::What::examine:
    case Request::What::time:
      return try_candidate(request, reply);
  }
}

Reply TrialService::answer(const Request& request) {
  using What = Request::What;
  // The others are many, and nothing of them is timed.
  const bool tries =
      request.what == What::verify || request.what == What::examine || request.what == What::time;
  Reply reply;
  reply.id = id_ = request.id;
  if (tries) enter("");
  misdeed_.clear();
  threads_ = thread_count();
  try {
    carry_out(request, reply);
  } catch (const Error& error) {
    reply.outcome = outcome_of(error);
  } catch (const std::bad_alloc&) {
    reply.outcome = {Verdict::no_memory, "the host has no memory left"};
  } catch (const std::system_error& error) {  // of ours: what a plugin throws comes as its status
    reply.outcome = {Verdict::no_memory,
                     std::string("the host has no more threads or descriptors: ") + error.what()};
  }
  if (tries) enter("");
  const bool is_plugins_doing = tries || request.what == What::load || request.what == What::quote;
  if (is_plugins_doing && misdeed_.empty() && thread_count() > threads_ && threads_stay_busy())
    misdeed_ = "it left a thread that keeps a processor busy";
  if (!misdeed_.empty() && reply.outcome.verdict == Verdict::ok) {
    reply.outcome = {Verdict::protocol_error, misdeed_};
    reply.plugin.reset();
  }
  return reply;
}

void serve_trials() try {
  HostChannel channel;
  TrialService service([&](const Reply& reply) { channel.send(encode(reply)); });
  while (const auto request = channel.receive(kWorkerIdleSeconds))
    channel.send(encode(service.answer(decode_request(*request))));
} catch (const abi::__forced_unwind&) {
  // Other threads would let the process live, and the host wait.
  std::fputs("the plugin ended the thread that called it\n", stderr);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace xpose
