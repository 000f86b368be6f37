// A fake of the slots of `staged`, whose streams run late and as far as chance has it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <set>

namespace staged {

struct Event {
  int marked = 0, happened = 0;  // times
};

struct Stream {
  struct Work {
    std::function<void()> body;
    std::function<bool()> may_begin;
  };
  std::deque<Work> work;
  // Whether it did any.
  bool run(size_t most) {
    bool did = false;
    for (; most > 0 && !work.empty() && work.front().may_begin(); --most) {
      work.front().body();
      work.pop_front();
      did = true;
    }
    return did;
  }
};

// The memory that is pinned, what was copied by the GPU itself, and the call that fails.
struct Fake {
  std::mt19937 random{7};
  std::set<Stream*> streams;
  const Stream* asleep = nullptr;  // for a while, so that the others get far ahead of it
  bool in_is_pinned = false, out_is_pinned = false;
  const void* in = nullptr;
  int direct_copies = 0;
  int fail_after = -1;  // enqueued transposes; -1: none fails
};
extern Fake fake;

// Of a size that the compiler knows: sanitizers look at each call of memcpy.
void copy_element(unsigned char* to, const unsigned char* from, int64_t bytes);

}  // namespace staged
