// Teams of threads, lent: to the launches of host strategies, and to the library's own loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "threads/team.hpp"
#include "xpose/plugin.h"

namespace xpose {

// A team for the time of a launch. One that is idle is taken, or one made, when it is first needed,
// so that a launch in one thread pays nothing. Where there are no threads to be had, or enough at
// work for others, the calling thread works with fewer, or alone. There are never more than the
// calling thread has processors to run on.
class LentTeam : private xpose_team {
 public:
  explicit LentTeam(unsigned threads) noexcept  // at most, with the calling one
      : xpose_team{sizeof(xpose_team), 0, run_for_plugin}, threads_(threads) {}
  ~LentTeam() { give_back(); }
  LentTeam(const LentTeam&) = delete;  // plugins know its address

  // Calls body for every part below `parts`, and returns when all have returned. Throws what the
  // first of them that threw has thrown. Called from within a part it runs its parts in the thread
  // that calls.
  void run(std::uint32_t parts, PartBody body, void* context);

  // For a launch; valid as long as this.
  const xpose_team* for_plugin() const { return this; }

 private:
  static void run_for_plugin(const xpose_team* team, std::uint32_t parts, PartBody body,
                             void* context);
  void take() noexcept;
  void give_back() noexcept;

  unsigned threads_;
  unsigned working_ = 0;  // threads of this team, with the calling one; 0: not asked for yet
  Team* team_ = nullptr;
  bool spins_ = false;
  unsigned generation_ = 0;
  cpu_set_t affinity_;  // of the calling thread, once a team was asked for
  std::atomic_flag is_running_ = ATOMIC_FLAG_INIT;
};

// body(part) for every part below `parts`, on as many threads as can be had. Throws what a part
// throws.
template <class Body>
void run_parts(std::uint32_t parts, const Body& body) {
  LentTeam(parts).run(
      parts, [](void* context, std::uint32_t part) { (*static_cast<const Body*>(context))(part); },
      const_cast<Body*>(std::addressof(body)));
}

// In a child of fork(), which has none of their threads.
void forget_teams() noexcept;

}  // namespace xpose
