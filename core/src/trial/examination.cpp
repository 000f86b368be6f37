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
constexpr std::chrono::microseconds kTogetherTime{100};
constexpr std::chrono::microseconds kMostTime{50'000};  // where the other one gets no processor

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
    side->launched =
        candidate.role == Role::copy ? Arena::Launched::copy : Arena::Launched::transpose;
    side->arena.hold(candidate.role == Role::numeric ? Content::numbers : Content::bits);
    side->workspace = side->arena.workspace(candidate.workspace_bytes);
  }
  at_stage(kAloneStage);
  for (Side* side : {&first_, &second_})
    if (Outcome outcome = alone(*side, plan); outcome.verdict != Verdict::ok) {
      outcome.detail = side->words + outcome.detail;
      return outcome;
    }
  at_stage(kTogetherStage);
  Outcome outcome = together(plan);
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
  // A changed byte says more than a touched page.
  Outcome outcome = side.check();
  if (outcome.verdict != Verdict::ok || touched == nullptr) return outcome;
  return side.arena.explain_touch(0, side.launched, touched);
}

Outcome Examination::together(const BoundPlan& plan) {
  // Long launches meet for sure; short ones, which may miss each other, get another chance.
  bool are_short = true;
  for (int round = 0; round < 2 && are_short; ++round) {
    for (Side* side : {&first_, &second_}) side->arena.poison(0);
    backend_.synchronize();
    are_short = launch_together(plan);
    backend_.synchronize();
    for (Side* side : {&first_, &second_})
      if (Outcome outcome = side->check(); outcome.verdict != Verdict::ok) return outcome;
  }
  return {};
}

// Each thread into its pair, for some time and until the other one's is over: the last launches
// meet as well, whose output stays. Whether they were short.
bool Examination::launch_together(const BoundPlan& plan) {
  using Clock = std::chrono::steady_clock;
  const std::array<Side*, 2> sides = {&first_, &second_};
  std::barrier start(2);
  std::array<std::atomic<bool>, 2> is_over = {false, false};
  std::array<std::optional<Error>, 2> failed;
  std::array<int, 2> launches = {0, 0};
  const auto run = [&](std::size_t me) {
    start.arrive_and_wait();
    const auto begin = Clock::now();
    try {
      backend_.make_current();
      for (bool more = true; more;) {
        sides.at(me)->launch(plan);
        ++launches.at(me);
        const auto passed = Clock::now() - begin;
        if (passed >= kTogetherTime) is_over.at(me) = true;
        more = passed < kMostTime && !(is_over[0] && is_over[1]);
        more |= in_place_ && launches.at(me) % 2 == 0;  // twice in place is back
      }
    } catch (const Error& error) {
      failed.at(me) = error;
      is_over.at(me) = true;
    }
  };
  try {
    std::thread other(run, 1);
    run(0);
    other.join();
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::no_memory, std::string("cannot start a thread: ") + error.what() +
                                          "; raise the limit on processes");
  }
  for (const std::optional<Error>& error : failed)
    if (error) throw Error(*error);
  return std::min(launches[0], launches[1]) > 1;
}

}  // namespace xpose
