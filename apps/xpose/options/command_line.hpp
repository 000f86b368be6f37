// The words that a command takes, as its own parsing states them: for manual pages and completion.
#pragma once

#include <string>
#include <vector>

namespace xpose::app {

struct OptionWords {
  std::string name;      // without dashes: "shape"; of an argument "in"
  std::string letter;    // of the short form, or ""
  std::string value;     // the name of its value, "RxC"; "": it takes none
  std::string standard;  // the value where the option is not given, or ""
  std::string implied;   // the value where the option stands alone, or "": it needs one
  std::string about;
  bool repeats = false;  // each time adds a value
};

struct CommandLine {
  std::string usage;  // "xpose tune --shape RxC [options]"
  std::string about;
  std::vector<OptionWords> arguments;  // those without a name, in their order
  std::vector<OptionWords> options;
};

// The command line of a command, which is called with --help and says its words here instead of on
// the standard output. Not for several threads at once.
CommandLine command_line_of(int (*run)(const std::vector<std::string>&),
                            std::vector<std::string> action = {});

}  // namespace xpose::app
