// A child of an animal, which sleeps longer than any test waits.
#pragma once

#include "animal.hpp"

namespace zoo {

// The child calls `begin`; its pid is noted under the stage "child".
template <class Begin>
void spawn_child(const Begin& begin) {
  const pid_t child = fork();
  if (child == 0) {
    begin();
    sleep(300);
    _exit(0);
  }
  note("child", child);
}

}  // namespace zoo
