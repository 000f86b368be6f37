#include "output/result_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

#include "output/named_descriptor.hpp"
#include "output/same_file.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {
ResultOutput::Kind ResultOutput::kind_of(const std::string& target) {
  if (target.empty()) return Kind::nowhere;
  if (target == "-") return Kind::standard_output;
  struct stat status {};
  struct stat standard_output {};
  if (stat(target.c_str(), &status) != 0) return Kind::file;
  if (fstat(STDOUT_FILENO, &standard_output) == 0 && are_one(status, standard_output))
    return Kind::standard_output;
  const bool is_stream = S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
  return is_stream || is_named_descriptor(target) ? Kind::stream : Kind::file;
}

ResultOutput::ResultOutput(const std::string& option, const std::string& target) try
    : option_(option), target_(target), kind_(kind_of(target)) {
  if (kind_ == Kind::stream) stream_ = opened_stream(target, target);
  if (kind_ != Kind::file) return;
  file_ = std::make_unique<PendingFile>(target);
  target_ = file_->target();
} catch (const std::runtime_error& error) {
  throw Error(ErrorKind::failed, option + ' ' + error.what());
}

void ResultOutput::write(std::string_view text) try {
  if (kind_ == Kind::standard_output) std::cout << text << std::flush;
  if (kind_ == Kind::stream) write_text(stream_.get(), text, target_.string());
  if (kind_ != Kind::file) return;
  if (!file_) file_ = std::make_unique<PendingFile>(target_);
  file_->write(text);
  file_->commit();
  file_.reset();
} catch (const std::runtime_error& error) {
  throw Error(ErrorKind::failed, option_ + ' ' + error.what());
}

void ResultOutput::check_apart(const ResultOutput& one, const ResultOutput& other) {
  const std::string both = one.option_ + " and " + other.option_;
  if (one.is_stdout() && other.is_stdout())
    throw Error(ErrorKind::invalid,
                both + " cannot share the standard output: name a file for one");
  if (one.is_wanted() && other.is_wanted() && !one.is_stdout() && !other.is_stdout() &&
      are_one(one.target_, other.target_))
    throw Error(ErrorKind::invalid,
                both + " cannot share " + one.target_.string() + ": name another file for one");
}

}  // namespace xpose::app
