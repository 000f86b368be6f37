#include "trial/examination.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

namespace xpose {
namespace {

// Launches are repeated for so long, since a thread takes some microseconds to come from a barrier.
constexpr double together_seconds = 100e-6;
constexpr int most_launches = 101;

bool is_on_host(const Problem& problem) { return problem.device.kind == DeviceKind::host; }

}  // namespace

Examination::Side::Side(Backend& owner, const Problem& problem, ArenaForm form, std::string special)
    : backend(owner),
      arena(owner, problem, 1, form),
      words(std::move(special)),
      stream(owner.make_stream()) {}

void Examination::Side::launch(const BoundPlan& plan) {
  if (launched == Arena::Launched::copy)
    plan.launch(arena.copy_in(0), arena.copy_out(0), workspace, stream);
  else
    plan.launch(arena.in(0), arena.out(0), workspace, stream);
}

Outcome Examination::Side::check() {
  Outcome outcome =
      launched == Arena::Launched::copy ? arena.check_copy(0) : arena.check_transpose(0);
  if (outcome.verdict != Verdict::ok) arena.restore(0);
  return outcome;
}

Examination::Examination(Backend& backend, const Problem& problem)
    : backend_(backend),
      in_place_(problem.in_place),
      first_(backend, problem,
             {is_on_host(problem) ? ArenaForm::Edge::begins_page : ArenaForm::Edge::none, false},
             is_on_host(problem) ? "in buffers that begin a page, " : "on a stream of its own, "),
      second_(backend, problem,
              {is_on_host(problem) ? ArenaForm::Edge::ends_page : ArenaForm::Edge::none, true},
              is_on_host(problem) ? "in buffers that end a page, with other bytes in their gaps, "
                                  : "with other bytes around and between the elements, ") {}

Outcome Examination::examine(const Candidate& candidate, const BoundPlan& plan,
                             const std::function<void(std::string_view)>& at_stage) {
  for (Side* side : {&first_, &second_}) {
    side->launched = candidate.is_copy ? Arena::Launched::copy : Arena::Launched::transpose;
    side->arena.hold(candidate.is_numeric ? Content::numbers : Content::bits);
    side->workspace = side->arena.workspace(candidate.workspace_bytes);
  }
  at_stage(alone_stage);
  const auto begin = std::chrono::steady_clock::now();
  for (Side* side : {&first_, &second_})
    if (Outcome outcome = alone(*side, plan); outcome.verdict != Verdict::ok) {
      outcome.detail = side->words + outcome.detail;
      return outcome;
    }
  const std::chrono::duration<double> both = std::chrono::steady_clock::now() - begin;
  at_stage(together_stage);
  const double wanted = together_seconds / std::max(both.count() / 2, 1e-9);
  Outcome outcome = together(plan, std::clamp(static_cast<int>(wanted), 1, most_launches) | 1);
  if (outcome.verdict != Verdict::ok)
    outcome.detail = "from two threads at once, " + outcome.detail;
  return outcome;
}

Outcome Examination::alone(Side& side, const BoundPlan& plan) {
  side.arena.poison(0);
  backend_.synchronize();
  const std::byte* touched = nullptr;
  {
    PageWatch watch(side.arena.closed_pages(0, side.launched));
    side.launch(plan);
    backend_.synchronize();
    touched = watch.open();
  }
  // What was changed says more than what was touched.
  const Outcome outcome = side.check();
  if (outcome.verdict != Verdict::ok || touched == nullptr) return outcome;
  return side.arena.explain_touch(0, side.launched, touched);
}

Outcome Examination::together(const BoundPlan& plan, int launches) {
  const int rounds = launches == 1 ? 1 : 2;  // long ones meet for sure
  for (int round = 0; round < rounds; ++round) {
    for (Side* side : {&first_, &second_}) side->arena.poison(0);
    backend_.synchronize();
    launch_together(plan, launches);
    backend_.synchronize();
    for (Side* side : {&first_, &second_})
      if (const Outcome outcome = side->check(); outcome.verdict != Verdict::ok) return outcome;
  }
  return {};
}

// So often into each pair, and on until the other thread has launched as often: the last launches
// meet as well, whose output stays.
void Examination::launch_together(const BoundPlan& plan, int launches) {
  const std::array<Side*, 2> sides = {&first_, &second_};
  const int at_least = in_place_ ? 2 : 1;  // twice in place is back
  std::barrier start(2);
  std::array<std::atomic<int>, 2> done = {0, 0};
  std::array<std::optional<Error>, 2> failed;
  const auto run = [&](std::size_t me) {
    start.arrive_and_wait();
    try {
      backend_.make_current();
      while (done.at(me) < launches) {
        sides.at(me)->launch(plan);
        ++done.at(me);
      }
      while (done.at(1 - me) < launches)
        for (int i = 0; i < at_least; ++i) sides.at(me)->launch(plan);
    } catch (const Error& error) {
      failed.at(me) = error;
      done.at(me) = launches;
    }
  };
  try {
    std::thread other(run, 1);
    run(0);
    other.join();
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::no_memory, std::string("cannot start a thread: ") + error.what());
  }
  for (const std::optional<Error>& error : failed)
    if (error) throw *error;
}

}  // namespace xpose
