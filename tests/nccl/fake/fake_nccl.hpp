// The fakes behind fake/nccl.h, for a test.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

// What the communicators of some ranks share.
struct FakeWorld {
  int size = 0;
  std::mutex mutex;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters;  // from, to
  std::weak_ptr<FakeWorld> split;                                             // made of this one
};

struct FakeComm {
  std::shared_ptr<FakeWorld> world;
  int rank = 0;
  bool blocks = true;
  int looks_in_progress = 0;  // that still say ncclInProgress
  bool is_in_group = false;
};

struct FakeStream {
  struct Step {
    FakeComm* comm;  // of an aborted one the step is left out
    std::function<bool()> try_it;
  };
  std::deque<Step> steps;
};

// Of all fakes since the last reset.
struct FakeCounts {
  std::atomic<int> comms{0}, aborted{0}, memory{0}, wrong_calls{0};
  std::atomic<bool> sends_fail{false};
};
FakeCounts& fake_counts();
