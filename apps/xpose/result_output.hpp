// Where --json and --report go: nowhere, standard output, or a file that appears when it is
// complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pending_file.hpp"

namespace xpose::app {

// A file is begun at once, so that a wrong path fails before anything is measured, and leaves what
// has its name alone until write().
class ResultOutput {
 public:
  // The option's name, for errors, and its value: "", "-" or a path. Throws Error failed.
  ResultOutput(const std::string& option, const std::string& target);

  bool is_wanted() const { return is_stdout_ || file_ != nullptr; }
  bool is_stdout() const { return is_stdout_; }
  void write(std::string_view text);  // once, and puts a file in its place. Throws Error failed.

 private:
  std::string option_;
  bool is_stdout_;
  std::unique_ptr<PendingFile> file_;
};

}  // namespace xpose::app
