#include "environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace xpose {

bool is_privileged() {
  return ::getauxval(AT_SECURE) != 0 || ::getuid() != ::geteuid() || ::getgid() != ::getegid();
}

const char* environment(const char* name) {
  const char* value = is_privileged() ? nullptr : std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

}  // namespace xpose
