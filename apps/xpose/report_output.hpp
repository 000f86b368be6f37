// Where --report goes: nowhere, or a file that appears when the page is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace xpose::app {

// The file is opened at once, beside its target, so that a wrong path fails before anything is
// measured; SIGTERM and SIGHUP remove it, and so does the destructor where nothing was written.
// One at a time in a process.
class ReportOutput {
 public:
  explicit ReportOutput(const std::string& target);  // "": nowhere. Throws std::runtime_error.
  ReportOutput(const ReportOutput&) = delete;        // owns
  ReportOutput& operator=(const ReportOutput&) = delete;
  ~ReportOutput();

  bool is_wanted() const { return file_ != nullptr; }
  void write(std::string_view page);  // once, and puts the file in its place

  // For a signal handler that ends the process. [signal safe]
  static void abandon() noexcept;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace xpose::app
