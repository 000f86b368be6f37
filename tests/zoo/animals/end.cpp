// Right in every trial. Its name says what it does when the process ends, and in which code.
#include <csignal>

#include "../animal.hpp"

namespace {

constexpr std::string_view name = ZOO_NAME;

void act() {
  zoo::last_words();
  if (name.starts_with("crash")) std::raise(SIGSEGV);
  if (name.starts_with("fail")) _exit(3);
  if (name.starts_with("hang"))
    for (;;) pause();
}

struct Static {
  Static() {
    if (name.ends_with("at_exit") && std::atexit(act) != 0) std::abort();
  }
  Static(const Static&) = delete;  // acts when it is destroyed
  ~Static() {
    if (name.ends_with("in_destructor")) act();
  }
} at_the_end;

}  // namespace

ZOO_ANIMAL(zoo::Animal)
