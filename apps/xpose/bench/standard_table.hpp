// The standard table: the problems of `xpose bench`, and the share of the roof that each is to
// reach. Data alone, so that a change of the table is a change of one file.
#pragma once

#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {

struct Cell {
  std::string row;   // the cells of a row are likely to behave alike
  std::string name;  // unique within a device kind
  Problem problem;   // on device 0 of its kind
  bool warm = false;
  unsigned threads = 0;      // of host strategies and copies; 0: all
  int reach = 0;             // per cent of the roof that is to be reached; 0: no figure is set
  int aim = 0;               // per cent that is hoped for; 0 likewise
  std::string group = {};    // the cells of a group have a mean share
  bool on_request = false;   // measured only where --only names it
  std::string refused = {};  // the reason of the library, where it serves no such problem

  bool has_marks() const { return reach != 0; }
};

// [any thread] In the order in which they are measured.
std::vector<Cell> standard_table(DeviceKind kind);

}  // namespace xpose::app
