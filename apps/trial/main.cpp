// xpose-trial: the worker in which plugins are tried. The library starts it; it serves no people.
// `xpose-trial --describe PLUGIN FILE` writes down what a plugin offers, while it is built.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "registry/shipped_description.hpp"
#include "worker/trial_service.hpp"

namespace {

[[noreturn]] void describe(const char* plugin, const char* file) {
  try {
    xpose::write_description(plugin, file);
  } catch (const xpose::Refusal& refusal) {
    std::fprintf(stderr, "xpose-trial: %s %s\n", plugin, refusal.why.c_str());
    std::_Exit(1);
  }
  std::_Exit(0);  // whatever the plugin would do at exit
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 4 && std::string_view(arguments[1]) == "--describe")
      describe(arguments[2], arguments[3]);
    xpose::serve_trials();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xpose-trial: %s\n", error.what());
    return 1;
  }
}
