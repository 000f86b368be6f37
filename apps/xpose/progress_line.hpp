// How far a measurement is, for people who watch.
#pragma once

#include <string>

#include "xpose/xpose.hpp"

namespace xpose::app {

// One line of stderr that overwrites itself, on a terminal only.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what = {});  // stands before every line
  ProgressLine(const ProgressLine&) = delete;    // erases once
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const Progress& progress) const;

 private:
  std::string what_;
  bool terminal_;
};

}  // namespace xpose::app
