// The worker's service: loads, quotes, verifies and times on request, until the host goes away.
#pragma once

#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "plugin/plugin_library.hpp"
#include "trial/in_process_runner.hpp"
#include "worker/process_state.hpp"
#include "worker/protocol.hpp"

namespace xpose {

// [one thread]
class TrialService {
 public:
  // `send` takes the notices of stages that go before a reply.
  explicit TrialService(std::function<void(const Reply&)> send) : send_(std::move(send)) {}

  // The reply to a request; an outcome that is not ok where it cannot be done.
  Reply answer(const Request& request);

 private:
  // One request each, by its `what`. They throw Error where it cannot be done.
  void carry_out(const Request& request, Reply& reply);
  static void greet(const Request& request, Reply& reply);
  void load(const Request& request, Reply& reply);
  void quote(const Request& request, Reply& reply);
  void prepare(const Request& request);
  void try_candidate(const Request& request, Reply& reply);

  const Strategy& strategy_of(const Request& request) const;
  Candidate candidate(const Request& request) const;

  void enter(std::string_view stage);

  std::function<void(const Reply&)> send_;
  pid_t process_ = getpid();
  ProcessState state_;        // before any plugin was loaded
  bool launched_ = false;     // in the stage that ends
  std::set<pid_t> children_;  // before it
  std::string misdeed_;
  std::size_t threads_ = 0;                             // when the request came
  std::uint64_t id_ = 0;                                // of the request in hand
  std::map<std::string, const PluginLibrary*> loaded_;  // by digest
  Problem problem_;
  std::unique_ptr<InProcessRunner> runner_;
};

// Serves the host on descriptor 3. Returns when it has gone or has been silent for
// worker_idle_seconds.
void serve_trials();

}  // namespace xpose
