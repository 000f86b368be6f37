#include "worker/worker_runner.hpp"

#include <chrono>
#include <ctime>
#include <utility>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// Ends that say nothing against the plugin, or are no end at all.
bool is_innocent(Verdict verdict) {
  return verdict == Verdict::ok || verdict == Verdict::unsupported || verdict == Verdict::no_memory;
}

// Ends after which the worker's state cannot be trusted, though it still answers.
bool taints_worker(Verdict verdict) {
  return verdict != Verdict::ok && verdict != Verdict::unsupported;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string describe(const Quarantine& quarantine) {
  const std::time_t since = quarantine.since;
  std::tm utc{};
  gmtime_r(&since, &utc);
  char date[32];
  (void)std::strftime(static_cast<char*>(date), sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
  return std::string("in quarantine since ") + static_cast<const char*>(date) + ": " +
         quarantine.words + "; rebuild its plugin, or `xpose cache forget --" +
         (quarantine.strategy.empty() ? "quarantine" : "strategy " + quarantine.strategy) + '`';
}

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

void WorkerRunner::quarantine(const Strategy& strategy, const Outcome& outcome) {
  if (outcome.verdict == Verdict::timed_out && needs_.worker.is_impatient()) {
    out_.emplace(strategy.info.name, outcome);  // for this run alone
    return;
  }
  const std::string file = needs_.file_of(strategy.digest).filename().string();
  const Quarantine row{strategy.digest, strategy.info.name, one_line(file),
                       outcome.verdict, outcome.detail,     now()};
  needs_.cache.store(row);
  out_.emplace(strategy.info.name, Outcome{outcome.verdict, describe(row)});
  if (needs_.warn)
    needs_.warn("strategy " + strategy.info.name + " of " + row.file + " is now in quarantine, " +
                std::string(to_string(outcome.verdict)) + " twice: " + outcome.detail);
}

// The strategy's plugin, into the worker.
Outcome WorkerRunner::load(const Strategy& strategy) {
  return needs_.worker.load(needs_.file_of(strategy.digest), strategy.digest).outcome;
}

Reply WorkerRunner::ask(Request::What what, const Strategy& strategy,
                        const std::vector<Values>& configs) {
  Request request;
  request.what = what;
  request.digest = strategy.digest;
  request.strategy = strategy.info.name;
  request.configs = configs;
  request.problem = needs_.problem;
  request.device = needs_.device;
  return needs_.worker.ask(std::move(request), bytes_);
}

std::vector<QuoteAnswer> WorkerRunner::quote(const Strategy& strategy,
                                             const std::vector<Values>& configs) {
  const auto all = [&](const Outcome& outcome) {
    return std::vector<QuoteAnswer>(configs.size(), QuoteAnswer{outcome, "", 0});
  };
  if (const auto out = quarantined(strategy)) return all(*out);
  Outcome first;
  for (const bool again : {false, true}) {
    Outcome outcome = load(strategy);
    if (outcome.verdict == Verdict::ok) {
      Reply reply = ask(Request::What::quote, strategy, configs);
      outcome = reply.outcome;
      if (outcome.verdict == Verdict::ok && reply.quotes.size() != configs.size())
        outcome = {Verdict::protocol_error, "the worker answered fewer configs than were asked"};
      for (const QuoteAnswer& answer : reply.quotes)
        if (outcome.verdict == Verdict::ok && !is_innocent(answer.outcome.verdict))
          outcome = answer.outcome;
      if (outcome.verdict == Verdict::ok) return std::move(reply.quotes);
    }
    if (outcome.verdict == Verdict::load_refused || !needs_.blame) return all(outcome);
    needs_.worker.end();
    if (again && outcome.verdict == first.verdict && !is_innocent(outcome.verdict))
      quarantine(strategy, outcome);
    if (!again) first = outcome;
  }
  return all(first);
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
  reply = ask(what, *candidate.strategy, {candidate.values});
  if (taints_worker(reply.outcome.verdict)) needs_.worker.end(reply.outcome);
  return reply;
}

// The whole trial in a worker that has met nothing else.
Reply WorkerRunner::alone(const Candidate& candidate) {
  needs_.worker.end();
  Reply timed;
  for (const auto what : {Request::What::verify, Request::What::time, Request::What::verify}) {
    Reply reply = attempt(what, candidate);
    if (reply.outcome.verdict != Verdict::ok) return reply;
    if (what == Request::What::time) timed = std::move(reply);
  }
  return timed;
}

Reply WorkerRunner::judged(Request::What what, const Candidate& candidate) {
  const Strategy& strategy = *candidate.strategy;
  Reply first;
  if (const auto out = quarantined(strategy)) {
    first.outcome = *out;
    return first;
  }
  first = attempt(what, candidate);
  if (first.outcome.verdict == Verdict::ok || !needs_.blame) return first;
  if (first.outcome.verdict == Verdict::unsupported ||
      first.outcome.verdict == Verdict::load_refused)
    return first;
  Reply second = alone(candidate);
  needs_.worker.end();
  if (second.outcome.verdict == Verdict::ok) return second;
  if (second.outcome.verdict == first.outcome.verdict && !is_innocent(first.outcome.verdict))
    quarantine(strategy, first.outcome);
  return first;
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
