// Progress and messages on stderr, for people who watch.
#pragma once

#include <string>
#include <string_view>

#include "xpose/xpose.hpp"

namespace xpose::app {

// One line of stderr that overwrites itself and is erased at the end, on a terminal only. No wider
// than the terminal and without escapes; where $TERM is dumb, none at all. [one thread]
class ProgressLine {
 public:
  explicit ProgressLine(std::string what = {});  // stands before every text
  ProgressLine(const ProgressLine&) = delete;    // erases once
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(std::string_view text);
  void show(const Progress& progress);
  void erase();  // until the next show()

 private:
  std::string what_;
  std::string shown_;
  bool terminal_;
};

// A message, "xpose: text", broken at words where stderr is a terminal. Erases the line of progress
// first.
void say(std::string_view text);

}  // namespace xpose::app
