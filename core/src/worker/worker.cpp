#include "worker/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <utility>

#include "process/environment.hpp"
#include "worker/kernel_kills.hpp"

namespace xpose {
namespace {

// A worker that cannot keep up with this is not slow but stuck.
constexpr double kSlowestBytesPerSecond = 20e6;
constexpr double kStartSeconds = 60;  // a loaded machine may start processes slowly
constexpr double kSendSeconds = 10;
constexpr double kLeaveSeconds = 5;  // from the end of its channel to its own
// Bytes of questions that wait. A socket holds them: neither side ever waits for the other to read.
constexpr std::size_t kMostAhead = 64U << 10;

std::string text_of(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

std::string first_stage(Request::What what) {
  constexpr std::array kStages = {"the start", "load", "quote", "prepare",
                                  "launch",    "time", "launch"};
  return kStages.at(static_cast<std::size_t>(what));
}

}  // namespace

Worker::Worker(std::filesystem::path program, double stage_seconds)
    : program_(std::move(program)), stage_seconds_(stage_seconds) {
  if (!(stage_seconds > 0))
    throw Error(ErrorKind::invalid,
                "EngineOptions::stage_seconds is " + std::to_string(stage_seconds) +
                    "; a stage of a trial needs more than 0 seconds, of which 10 are the default");
}

void Worker::end() {
  process_.reset();
  loaded_.clear();
}

void Worker::end(Outcome& outcome) {
  if (process_ == nullptr) return;
  process_->kill();
  if (const std::string words = process_->last_words(); !words.empty())
    outcome.detail += "; its last words: " + words;
  end();
}

Outcome Worker::leave() {
  if (process_ == nullptr) return {};
  process_->stop_asking();
  Outcome outcome;
  const std::string usual = ", in a destructor of a static object or a function given to atexit";
  if (!process_->has_ended(stage_seconds_)) {
    outcome = {Verdict::timed_out,
               "took more than " + text_of(stage_seconds_) + " to end its process at exit" + usual};
  } else if (const ProcessEnd ended = process_->kill(); ended.kind == ProcessEnd::Kind::signalled) {
    outcome = {Verdict::crashed, "crashed at exit" + usual + ": " + to_string(ended)};
  } else if (ended.kind == ProcessEnd::Kind::exited && ended.code != 0) {
    outcome = {Verdict::exited, "made its process fail at exit" + usual + ": " + to_string(ended)};
  }
  end(outcome);
  return outcome;
}

void Worker::start() {
  kernel_kills_ = kernel_kills();
  process_ = std::make_unique<WorkerProcess>(program_);
  ++generation_;
  loaded_.clear();
  Request hello{};
  hello.version = build_version();
  std::string why = "it does not answer";
  if (process_->send(encode(hello), kSendSeconds)) {
    const WorkerProcess::Reply heard = process_->receive(kStartSeconds);
    if (heard.heard == WorkerProcess::Heard::message) try {
        const Reply reply = decode_reply(heard.payload);
        if (reply.outcome.verdict == Verdict::ok) return;
        why = reply.outcome.detail;
      } catch (const Error& error) {
        why = error.what();
      }
  }
  const std::string words = process_->last_words();
  end();
  throw Error(ErrorKind::failed, "the worker " + program_.string() + " is not usable: " + why +
                                     (words.empty() ? "" : " (" + words + ')') +
                                     "; install library and worker from one build");
}

// The end that the process came to by itself.
Outcome Worker::end_of_process(const std::string& stage) {
  if (!process_->has_ended(kLeaveSeconds))
    return {Verdict::crashed, "closed its channel to the host during " + stage};
  const ProcessEnd ended = process_->kill();
  if (ended.kind == ProcessEnd::Kind::exited)
    return {Verdict::exited, "ended the process during " + stage + ": " + to_string(ended)};
  if (ended.kind == ProcessEnd::Kind::signalled && ended.code == SIGKILL &&
      (!kernel_kills_ || kernel_kills() != kernel_kills_))
    return {Verdict::no_memory,
            "was killed during " + stage + ", as the kernel does when memory runs out"};
  return {Verdict::crashed, "crashed during " + stage + ": " + to_string(ended)};
}

Reply Worker::bad_end(const std::string& stage, const WorkerProcess::Reply& heard, double seconds) {
  Reply reply;
  using Heard = WorkerProcess::Heard;
  if (heard.heard == Heard::late) {
    reply.outcome = {Verdict::timed_out, stage + " took more than " + text_of(seconds)};
    if (is_impatient())
      reply.outcome.detail += ", which is not remembered: the deadline is shorter than the default";
  } else if (heard.heard == Heard::ended) {
    reply.outcome = end_of_process(stage);
  } else {
    reply.outcome = {Verdict::protocol_error,
                     "something else than the worker wrote to descriptor 3 during " + stage};
  }
  end(reply.outcome);
  return reply;
}

// Not a process that may be about to end itself.
bool Worker::is_at_hand() const {
  const auto now = std::chrono::steady_clock::now();
  return process_ != nullptr &&
         std::chrono::duration<double>(now - last_use_).count() <= kWorkerIdleSeconds / 2;
}

// Its reply, once it was sent.
Reply Worker::await(const Request& request, std::uint64_t bytes) {
  const double limit = stage_seconds_ + static_cast<double>(bytes) / kSlowestBytesPerSecond;
  std::string stage = first_stage(request.what);
  for (auto ahead = stages_of(request.what);;) {
    // Buffers and a device's first use are ours, not the plugin's.
    const double seconds = request.what == Request::What::prepare ? limit + kStartSeconds : limit;
    const WorkerProcess::Reply heard = process_->receive(seconds);
    if (heard.heard != WorkerProcess::Heard::message) return bad_end(stage, heard, seconds);
    try {
      Reply reply = decode_reply(heard.payload);
      if (reply.id != request.id) return bad_end(stage, heard, seconds);
      last_use_ = std::chrono::steady_clock::now();
      if (reply.stage.empty()) return reply;
      const auto next = std::ranges::find(ahead, reply.stage);
      if (next == ahead.end()) return bad_end(stage, heard, seconds);
      ahead = {next + 1, ahead.end()};
      stage = reply.stage;
    } catch (const Error&) {
      return bad_end(stage, heard, seconds);
    }
  }
}

Reply Worker::ask(Request request, std::uint64_t bytes) {
  return ask_all({std::move(request)}, bytes).front();
}

std::vector<Reply> Worker::ask_all(std::vector<Request> requests, std::uint64_t bytes) {
  if (!is_at_hand()) {
    end();
    start();
  }
  std::vector<Reply> replies;
  std::vector<std::size_t> sent;  // bytes of each
  std::size_t under_way = 0;
  const auto send_next = [&] {
    Request& next = requests[sent.size()];
    if (getentropy(&next.id, sizeof next.id) != 0) next.id = ++last_id_;
    const std::string payload = encode(next);
    const bool is_ahead = sent.size() > replies.size();
    if (is_ahead && under_way + payload.size() > kMostAhead) return false;
    if (!process_->send(payload, kSendSeconds)) return false;
    sent.push_back(payload.size());
    under_way += payload.size();
    return true;
  };
  while (replies.size() < requests.size() && process_ != nullptr) {
    while (sent.size() < requests.size() && send_next()) continue;
    const Request& request = requests[replies.size()];
    if (sent.size() == replies.size()) {
      replies.push_back(bad_end(first_stage(request.what), process_->receive(0), kSendSeconds));
    } else {
      under_way -= sent[replies.size()];
      replies.push_back(await(request, bytes));
    }
  }
  return replies;
}

Reply Worker::load(const std::filesystem::path& file, const std::string& digest) {
  if (const auto known = loaded_.find(digest); is_at_hand() && known != loaded_.end()) {
    Reply reply;
    reply.plugin = known->second;
    reply.plugin->file = file;  // it may have been loaded under another name
    return reply;
  }
  Request request{};
  request.what = Request::What::load;
  request.file = file.string();
  request.digest = digest;
  Reply reply = ask(std::move(request));
  if (reply.plugin) loaded_[digest] = *reply.plugin;
  return reply;
}

bool Worker::has_loaded(const std::string& digest) const {
  return is_at_hand() && loaded_.contains(digest);
}

std::filesystem::path default_worker() {
  if (const char* path = environment("XPOSE_TRIAL")) return path;
  return installed_folder() / "xpose-trial";
}

}  // namespace xpose
