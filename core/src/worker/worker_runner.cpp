#include "worker/worker_runner.hpp"

#include <chrono>
#include <utility>

#include "problem/normal_form.hpp"
#include "worker/quarantine.hpp"

namespace xpose {
namespace {

// Ends after which the worker's state cannot be trusted, though it still answers.
bool taints_worker(Verdict verdict) {
  return verdict != Verdict::ok && verdict != Verdict::unsupported;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Of quotes for so many configs.
void judge(Reply& reply, std::size_t configs) {
  if (reply.outcome.verdict == Verdict::ok && reply.quotes.size() != configs)
    reply.outcome = {Verdict::protocol_error, "the worker answered fewer configs than were asked"};
  for (const QuoteAnswer& answer : reply.quotes)
    if (reply.outcome.verdict == Verdict::ok && !is_innocent(answer.outcome.verdict))
      reply.outcome = answer.outcome;
}

}  // namespace

WorkerRunner::WorkerRunner(Needs needs)
    : needs_(std::move(needs)),
      bytes_(2 * static_cast<std::uint64_t>(element_count(needs_.problem)) *
             needs_.problem.element_bytes) {}

std::optional<Outcome> WorkerRunner::quarantined(const Strategy& strategy) {
  if (const auto out = out_.find(strategy.info.name); out != out_.end()) return out->second;
  if (!needs_.blame) return std::nullopt;
  const auto row = needs_.cache.find_quarantine(strategy.digest, strategy.info.name);
  if (!row) return std::nullopt;
  const Outcome outcome{row->verdict, describe(*row)};
  out_.emplace(strategy.info.name, outcome);
  return outcome;
}

// It is out for this run in any case, and later where the cache remembers it.
void WorkerRunner::blame(const Strategy& strategy, const Outcome& end) {
  const std::string file = needs_.file_of(strategy.digest).filename().string();
  const auto row =
      convict(needs_.worker, needs_.cache, needs_.warn,
              {strategy.digest, strategy.info.name, one_line(file), end.verdict, end.detail, 0});
  out_.emplace(strategy.info.name, row ? Outcome{end.verdict, describe(*row)} : end);
}

// The strategy's plugin, into the worker.
Outcome WorkerRunner::load(const Strategy& strategy) {
  return needs_.worker.load(needs_.file_of(strategy.digest), strategy.digest).outcome;
}

Request WorkerRunner::request(Request::What what, const Strategy& strategy,
                              const std::vector<Values>& configs) const {
  Request request;
  request.what = what;
  request.digest = strategy.digest;
  request.strategy = strategy.info.name;
  request.configs = configs;
  request.problem = needs_.problem;
  request.device = needs_.device;
  return request;
}

void WorkerRunner::announce(std::span<const Question> questions) {
  ahead_.clear();
  std::vector<const Question*> asked;
  std::vector<Request> requests;
  for (const Question& question : questions)
    if (needs_.worker.has_loaded(question.strategy->digest) && !quarantined(*question.strategy)) {
      asked.push_back(&question);
      requests.push_back(request(Request::What::quote, *question.strategy, question.configs));
    }
  if (requests.empty()) return;  // no process is started for nothing
  std::vector<Reply> replies = needs_.worker.ask_all(std::move(requests), bytes_);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    judge(replies[i], asked[i]->configs.size());
    const bool is_last = !is_answer(replies[i].outcome.verdict);  // what follows proves nothing
    ahead_.emplace(asked[i]->strategy->info.name, std::move(replies[i]));
    if (is_last) break;
  }
}

// Of all configs at once: one bad end is that of the question.
Reply WorkerRunner::quotes(const Strategy& strategy, const std::vector<Values>& configs) {
  Reply reply;
  if (auto answered = ahead_.extract(strategy.info.name); !answered.empty())
    return std::move(answered.mapped());
  reply.outcome = load(strategy);
  if (reply.outcome.verdict != Verdict::ok) return reply;
  reply = needs_.worker.ask(request(Request::What::quote, strategy, configs), bytes_);
  judge(reply, configs.size());
  return reply;
}

std::vector<QuoteAnswer> WorkerRunner::quote(const Strategy& strategy,
                                             const std::vector<Values>& configs) {
  Reply reply;
  const auto attempt = [&](bool) {
    reply = quotes(strategy, configs);
    return reply.outcome;
  };
  Outcome outcome;
  if (const auto out = ahead_.contains(strategy.info.name) ? std::nullopt : quarantined(strategy))
    outcome = *out;
  else if (!needs_.blame)
    outcome = attempt(false);
  else
    outcome =
        attempt_twice(needs_.worker, attempt, [&](const Outcome& end) { blame(strategy, end); });
  if (outcome.verdict == Verdict::ok) return std::move(reply.quotes);
  return std::vector<QuoteAnswer>(configs.size(), QuoteAnswer{outcome, "", 0});
}

void WorkerRunner::prepare() {
  Request request;
  request.what = Request::What::prepare;
  request.problem = needs_.problem;
  request.threads = needs_.threads;
  request.warm = needs_.warm;
  Reply reply = needs_.worker.ask(request, bytes_);
  if (!is_innocent(reply.outcome.verdict)) {  // not about this problem: the last one was taken down
    needs_.worker.end();
    reply = needs_.worker.ask(request, bytes_);
  }
  switch (reply.outcome.verdict) {
    case Verdict::ok:
      prepared_in_ = needs_.worker.generation();
      return;
    case Verdict::no_memory:  // of which a runtime keeps what it could not load
      needs_.worker.end();
      throw Error(ErrorKind::no_memory, reply.outcome.detail);
    case Verdict::device_error:
      needs_.worker.end();
      throw Error(ErrorKind::device, reply.outcome.detail);
    default:
      throw Error(ErrorKind::failed, "the worker could not prepare the trials of " +
                                         to_string(needs_.problem) + ": " + reply.outcome.detail);
  }
}

// In whatever worker there is; a fresh one gets the buffers and the plugin first.
Reply WorkerRunner::attempt(Request::What what, const Candidate& candidate) {
  Reply reply;
  reply.outcome = load(*candidate.strategy);
  if (reply.outcome.verdict != Verdict::ok) return reply;
  if (prepared_in_ != needs_.worker.generation()) try {
      prepare();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::no_memory) throw;  // no strategy is to blame
      reply.outcome = {Verdict::no_memory, error.what()};
      return reply;
    }
  reply = needs_.worker.ask(request(what, *candidate.strategy, {candidate.values}), bytes_);
  if (taints_worker(reply.outcome.verdict)) needs_.worker.end(reply.outcome);
  return reply;
}

// The whole trial.
Reply WorkerRunner::attempt_all(const Candidate& candidate) {
  Reply timed;
  for (const auto what : {Request::What::verify, Request::What::time, Request::What::verify}) {
    Reply reply = attempt(what, candidate);
    if (reply.outcome.verdict != Verdict::ok) return reply;
    if (what == Request::What::time) timed = std::move(reply);
  }
  return timed;
}

Reply WorkerRunner::judged(Request::What what, const Candidate& candidate) {
  Reply reply;
  if (const auto out = quarantined(*candidate.strategy)) {
    reply.outcome = *out;
    return reply;
  }
  const auto attempt_one = [&](bool again) {
    reply = again ? attempt_all(candidate) : attempt(what, candidate);
    return reply.outcome;
  };
  if (!needs_.blame)
    attempt_one(false);
  else
    reply.outcome = attempt_twice(needs_.worker, attempt_one,
                                  [&](const Outcome& end) { blame(*candidate.strategy, end); });
  return reply;
}

// A trial is in flight from its first verification to its first sample.
void WorkerRunner::begin(const Candidate& candidate) {
  needs_.cache.begin_trial({candidate.strategy->digest, candidate.strategy->info.name,
                            to_string(candidate.variant) + " on " + to_string(needs_.problem),
                            now()});
}

Outcome WorkerRunner::verify(const Candidate& candidate) {
  begin(candidate);
  Outcome outcome = judged(Request::What::verify, candidate).outcome;
  needs_.cache.end_trial();
  return outcome;
}

Outcome WorkerRunner::examine(const Candidate& candidate) {
  return attempt(Request::What::examine, candidate).outcome;
}

Sample WorkerRunner::time(const Candidate& candidate) {
  const bool first = timed_.insert(to_string(candidate.variant)).second;
  if (first) begin(candidate);
  const Reply reply = judged(Request::What::time, candidate);
  if (first) needs_.cache.end_trial();
  return {reply.outcome, reply.seconds};
}

}  // namespace xpose
