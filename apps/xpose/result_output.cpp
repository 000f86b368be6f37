#include "result_output.hpp"

#include <iostream>
#include <stdexcept>

#include "xpose/xpose.hpp"

namespace xpose::app {

ResultOutput::ResultOutput(const std::string& option, const std::string& target) try
    : option_(option), is_stdout_(target == "-") {
  if (!target.empty() && !is_stdout_) file_ = std::make_unique<PendingFile>(target);
} catch (const std::runtime_error& error) {
  throw Error(ErrorKind::failed, option + ' ' + error.what());
}

void ResultOutput::write(std::string_view text) try {
  if (is_stdout_) std::cout << text << std::flush;
  if (!file_) return;
  file_->write(text);
  file_->commit();
} catch (const std::runtime_error& error) {
  throw Error(ErrorKind::failed, option_ + ' ' + error.what());
}

}  // namespace xpose::app
