// Right in every trial. Its name says what it does when the process ends, and in which code.
#include <csignal>

#include "../animal.hpp"

namespace {

constexpr std::string_view kName = ZOO_NAME;

void act() {
  zoo::last_words();
  if (kName.starts_with("crash")) std::raise(SIGSEGV);
  if (kName.starts_with("fail")) _exit(3);
  if (kName.starts_with("hang"))
    for (;;) pause();
}

struct Static {
  Static() {
    if (kName.ends_with("at_exit") && std::atexit(act) != 0) std::abort();
  }
  Static(const Static&) = delete;  // acts when it is destroyed
  ~Static() {
    if (kName.ends_with("in_destructor")) act();
  }
} at_the_end;

}  // namespace

ZOO_ANIMAL(zoo::Animal)
