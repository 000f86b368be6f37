#include "progress_line.hpp"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace xpose::app {

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (terminal_) std::cerr << "\r\033[K" << std::flush;
}

void ProgressLine::show(const Progress& progress) const {
  if (!terminal_) return;
  std::string line = what_ + std::string(progress.stage) + ' ' + std::to_string(progress.done) +
                     '/' + std::to_string(progress.total);
  if (progress.trial != nullptr) line += ' ' + to_string(progress.trial->variant);
  std::cerr << '\r' << line.substr(0, 78) << "\033[K" << std::flush;
}

}  // namespace xpose::app
