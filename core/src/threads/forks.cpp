#include "threads/forks.hpp"

#include <pthread.h>

#include <atomic>

#include "threads/lent_team.hpp"

namespace xpose {
namespace {

std::atomic<unsigned> generation = 0;

void begin_anew() {
  forget_teams();
  ++generation;
}

const bool kAreWatched = pthread_atfork(nullptr, nullptr, begin_anew) == 0;

}  // namespace

unsigned fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }
bool forks_are_watched() noexcept { return kAreWatched; }

}  // namespace xpose
