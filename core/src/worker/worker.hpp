// The host's end of the worker: one process at a time, started when it is needed and again when it
// has ended.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "worker/protocol.hpp"
#include "worker/worker_process.hpp"

namespace xpose {

// [one thread at a time]
class Worker {
 public:
  // `stage_seconds`: see EngineOptions. Throws Error invalid where they are not more than 0.
  Worker(std::filesystem::path program, double stage_seconds);

  // Asks and waits for the reply. The worker's end, silence or babble becomes the reply's
  // outcome (crashed, exited, timed_out, protocol_error), with its last words, and the worker is
  // gone then. `bytes` is what the problem moves: larger ones get more time. A request has the time
  // of its stages together, whatever the notices say.
  // Throws Error failed where the program cannot be started.
  Reply ask(Request request, std::uint64_t bytes = 0);

  // Asks and waits likewise, of questions that lie ready for the worker while it answers the one
  // before. One reply to each, in their order; none after a bad end.
  std::vector<Reply> ask_all(std::vector<Request> requests, std::uint64_t bytes = 0);

  // Less patient than the default: a timeout says too little of a plugin to be remembered.
  bool is_impatient() const { return stage_seconds_ < EngineOptions{}.stage_seconds; }

  // Loads a plugin into the worker, unless it is there: as load_plugin() in this process. The file
  // is digested again there.
  Reply load(const std::filesystem::path& file, const std::string& digest);
  bool has_loaded(const std::string& digest) const;

  // Ends the process; the next request starts a fresh one. Its last words go into the outcome.
  void end();
  void end(Outcome& outcome);

  // Lets the process end in the ordinary way, in which its plugins' destructors of static objects
  // and functions given to atexit run, within the time of a stage. Not ok where it crashed, failed
  // or hung. Nothing where there is no process.
  Outcome leave();

  // Counts the processes started: what one had loaded and prepared, the next has not.
  std::uint64_t generation() const { return generation_; }

 private:
  Reply bad_end(const std::string& stage, const WorkerProcess::Reply& heard, double seconds);
  Outcome end_of_process(const std::string& stage);
  Reply await(const Request& request, std::uint64_t bytes);
  void start();
  bool is_at_hand() const;

  std::filesystem::path program_;
  double stage_seconds_;
  std::unique_ptr<WorkerProcess> process_;
  std::chrono::steady_clock::time_point last_use_;
  std::uint64_t generation_ = 0;
  std::uint64_t last_id_ = 0;                  // where the system has no random numbers
  std::optional<std::uint64_t> kernel_kills_;  // when the process was started
  std::map<std::string, PluginInfo> loaded_;   // by digest, as the worker described them
};

// A worker that hears nothing for so long ends itself; seconds.
constexpr double kWorkerIdleSeconds = 30;

// $XPOSE_TRIAL, else what is installed beside the library: xpose/xpose-trial.
std::filesystem::path default_worker();

}  // namespace xpose
