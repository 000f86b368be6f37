// Where --json and --csv of a long run go: nowhere, standard output at the end, or a file that
// holds what was measured so far.
#pragma once

#include <string>
#include <string_view>

namespace xpose::app {

class BenchFile {
 public:
  // The option's name, for errors, and its value: "", "-" or a path.
  BenchFile(std::string option, std::string target);

  bool is_stdout() const { return target_ == "-"; }
  bool is_file() const { return !target_.empty() && !is_stdout(); }

  // The file's text, empty where there is none yet. Throws Error failed.
  std::string read() const;

  // Replaces a file as a whole, so that at no time a half-written one is there; does nothing
  // otherwise. Throws Error failed.
  void save(std::string_view text) const;

  // Writes to standard output where that was asked for.
  void finish(std::string_view text) const;

 private:
  std::string option_;
  std::string target_;
};

}  // namespace xpose::app
