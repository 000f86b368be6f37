// The commands by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "options/options.hpp"

namespace xpose::app {

struct Command {
  int (*run)(const Arguments&) = nullptr;
  std::string summary;               // "": it serves shells and packages, and no help lists it
  std::vector<std::string> actions;  // words of which one must follow
};

const std::map<std::string, Command>& commands();

}  // namespace xpose::app
