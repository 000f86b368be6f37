#include "threads/lent_team.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>

#include "threads/forks.hpp"

namespace xpose {
namespace {

// Where the system had no thread to give, it is asked again after this.
constexpr std::chrono::seconds kBetweenRefusals(1);

// All teams. They and their threads stay until the process ends.
struct Teams {
  std::mutex mutex;
  Team* idle = nullptr;  // the one that was used last comes first
  unsigned threads = 0;  // of all teams
  unsigned working = 0;  // of those that are lent, with their callers
  std::chrono::steady_clock::time_point ask_again = {};

  // [under the mutex, as all else] How many more threads there may be: more than twice the
  // processors gain nothing.
  unsigned room() const {
    if (std::chrono::steady_clock::now() < ask_again) return 0;
    const unsigned most = 2 * std::max(1U, std::thread::hardware_concurrency());
    return most - std::min(most, threads);
  }

  void grow(Team& team, unsigned wanted, const cpu_set_t& affinity) {
    const unsigned before = team.threads(), most = before + std::min(wanted - before, room());
    team.grow(most - before, affinity);
    threads += team.threads() - before;
    if (team.threads() < most) ask_again = std::chrono::steady_clock::now() + kBetweenRefusals;
  }
};
static_assert(std::is_trivially_destructible_v<Teams>);  // threads outlive static objects
constinit Teams teams;

}  // namespace

void forget_teams() noexcept { new (&teams) Teams; }

void LentTeam::run_for_plugin(const xpose_team* team, std::uint32_t parts, PartBody body,
                              void* context) {
  const_cast<LentTeam*>(static_cast<const LentTeam*>(team))->run(parts, body, context);
}

void LentTeam::run(std::uint32_t parts, PartBody body, void* context) {
  if (parts < 2 || threads_ < 2 || is_running_.test_and_set()) {
    for (std::uint32_t part = 0; part < parts; ++part) body(context, part);
    return;
  }
  struct End {
    std::atomic_flag& flag;
    ~End() { flag.clear(); }
  } const end{is_running_};
  if (working_ == 0) take();
  Job job{body, context, parts, std::min(working_, parts), spins_, affinity_};
  team_ == nullptr ? job.work(0) : team_->run(job);
  if (job.thrown) std::rethrow_exception(job.thrown);
}

void LentTeam::take() noexcept {
  working_ = 1;
  CPU_ZERO(&affinity_);
  sched_getaffinity(0, sizeof affinity_, &affinity_);
  const auto processors = static_cast<unsigned>(CPU_COUNT(&affinity_));
  const unsigned wanted = std::min(threads_, processors);
  if (wanted < 2 || !forks_are_watched()) return;
  generation_ = fork_generation();
  const std::lock_guard lock(teams.mutex);
  team_ = teams.idle != nullptr ? std::exchange(teams.idle, teams.idle->next)
          : teams.room() != 0   ? new (std::nothrow) Team
                                : nullptr;
  if (team_ == nullptr) return;
  if (team_->threads() + 1 < wanted) teams.grow(*team_, wanted - 1, affinity_);
  working_ = std::min(wanted, team_->threads() + 1);
  teams.working += working_;
  spins_ = teams.working <= processors;
}

void LentTeam::give_back() noexcept {
  if (team_ == nullptr || generation_ != fork_generation()) return;
  const std::lock_guard lock(teams.mutex);
  teams.working -= working_;
  team_->next = std::exchange(teams.idle, team_);
}

}  // namespace xpose
