// The words that may come next on a command line, for the completion of shells.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "options/command_line.hpp"

namespace xpose::app {

struct NamedWord {
  std::string word;
  std::string about;  // one line, or ""
  bool operator==(const NamedWord&) const = default;
};

// A command as completion sees it: its own line, or the lines of its actions.
struct CompletedCommand {
  std::string summary;  // "": it is not offered
  std::function<CommandLine()> line;
  std::map<std::string, std::function<CommandLine()>> actions;
};

// Words that are looked up only where they are wanted.
struct WordSources {
  std::map<std::string, CompletedCommand> commands;
  std::function<std::vector<NamedWord>(const std::vector<std::string>& plugin_folders)> strategies;
  std::function<std::vector<NamedWord>(bool numbered)> devices;  // numbered: also cuda:0 ...
};

struct Completion {
  enum Kind { words, files, folders };  // of files and folders the shell knows the names
  Kind kind = words;
  std::vector<NamedWord> found;  // whole words that begin with the last one
};

// The kind of an option's value, by its name in the help. Throws std::logic_error for a name that
// is new here, so that each new kind of value gets a decision.
enum class ValueKind { file, folder, device, strategy, free };
ValueKind value_kind(const std::string& value_name);

// `words` are those behind the program up to the cursor; the last, which may be empty, is to be
// completed.
Completion complete_words(const std::vector<std::string>& words, const WordSources& sources);

}  // namespace xpose::app
