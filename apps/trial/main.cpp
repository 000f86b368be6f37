// xpose-trial: the worker in which plugins are tried. The library starts it; it serves no people.
#include <cstdio>
#include <exception>

#include "worker/trial_service.hpp"

int main() {
  try {
    xpose::serve_trials();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xpose-trial: %s\n", error.what());
    return 1;
  }
}
