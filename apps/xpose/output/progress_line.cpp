#include "output/progress_line.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <utility>

#include "output/screen.hpp"

namespace xpose::app {
namespace {

ProgressLine* current = nullptr;  // a message would run into it

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) != 0 && allows_escapes(std::getenv("TERM"), nullptr)) {
  current = this;
}

ProgressLine::~ProgressLine() {
  erase();
  current = nullptr;
}

void ProgressLine::show(std::string_view text) {
  if (!terminal_) return;
  // In the last column some terminals go on to the next line.
  std::string line(head_of(what_ + std::string(text), screen_of(STDERR_FILENO).width - 1));
  if (line == shown_) return;
  const std::size_t before = width_of(shown_);
  const std::size_t now = width_of(line);
  std::cerr << '\r' << line;
  if (before > now) std::cerr << std::string(before - now, ' ') << std::string(before - now, '\b');
  std::cerr << std::flush;
  shown_ = std::move(line);
}

void ProgressLine::show(const Progress& progress) {
  std::string text = std::string(progress.stage) + ' ' + std::to_string(progress.done) + '/' +
                     std::to_string(progress.total);
  if (progress.trial != nullptr) text += ' ' + to_string(progress.trial->variant);
  show(text);
}

void ProgressLine::erase() {
  if (shown_.empty()) return;
  std::cerr << '\r' << std::string(width_of(shown_), ' ') << '\r' << std::flush;
  shown_.clear();
}

void say(std::string_view text) {
  if (current != nullptr) current->erase();
  constexpr std::size_t kIndent = 7;    // of "xpose: "
  constexpr std::size_t kLimit = 8192;  // of bytes: it may quote foreign text
  const std::string line = one_line(text, kLimit);
  const std::string wrapped = wrapped_text(line, screen_of(STDERR_FILENO).width, kIndent);
  // By one write: the last words of a signal may come between two.
  std::cerr << "xpose: " + wrapped + '\n';
}

}  // namespace xpose::app
