// Pages of the manual, in the macros of man(7), from the words of the commands.
#pragma once

#include <string>
#include <vector>

#include "options/command_line.hpp"

namespace xpose::app {

// A command, or one action of it.
struct ManualPart {
  std::string name;  // "tune", "show"
  CommandLine line;
};

// The page of a command, xpose-NAME(1): one part, or one an action.
std::string command_page(const std::string& name, const std::string& summary,
                         const std::vector<ManualPart>& parts, const std::string& version);

// The page xpose(1). `commands` are names with summaries.
std::string overview_page(const std::vector<std::pair<std::string, std::string>>& commands,
                          const std::string& version);

// A text as roff reads it: nothing of it is a command or an escape.
std::string roff(std::string_view text);

}  // namespace xpose::app
