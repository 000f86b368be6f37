// The target of --json, --csv, --markdown, --svg and --report: nowhere, standard output, a pipe or
// a device, or a file that appears when it is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "output/file_descriptor.hpp"
#include "output/pending_file.hpp"

namespace xpose::app {

// A file is begun at once, so that a wrong path fails before anything is measured. A file of that
// name stays until write(). A named pipe waits for its reader.
class ResultOutput {
 public:
  // The option's name, for errors, and its value: "", "-" or a path. A path that leads to the
  // standard output is "-". Throws Error failed.
  ResultOutput(const std::string& option, const std::string& target);

  bool is_wanted() const { return kind_ != Kind::nowhere; }
  bool is_stdout() const { return kind_ == Kind::standard_output; }
  bool is_file() const { return kind_ == Kind::file; }  // one that is replaced as a whole

  // Writes the text behind the last one, or puts a file of it in the place of the last. Throws
  // Error failed.
  void write(std::string_view text);

  // Throws Error invalid where both go to the standard output or to one file.
  static void check_apart(const ResultOutput& one, const ResultOutput& other);

 private:
  enum class Kind { nowhere, standard_output, stream, file };
  static Kind kind_of(const std::string& target);

  std::string option_;
  std::filesystem::path target_;  // of a file, behind its links
  Kind kind_;
  FileDescriptor stream_;
  std::unique_ptr<PendingFile> file_;  // begun
};

}  // namespace xpose::app
